"""`manage.py runconsumers`: what it refuses, and with which code it ends."""

import os
import signal
import subprocess
import sys

import pytest
from django.core.management import CommandError, call_command

from tests.processes.conftest import ROOT

LOCAL = {"BACKEND": "streamapp.brokers.local.LocalBroker"}


@pytest.fixture
def mounted(settings):
    def mount(**entry):
        one = {"HANDLER": "tests.processes.handlers.obey", "BROKER": "local", "SOURCE": {"topic": "orders"}}
        settings.STREAMAPP = {"BROKERS": {"local": LOCAL}, "SUBSCRIPTIONS": {"one": one | entry}}

    return mount


@pytest.fixture
def signals():
    """Put the handlers back that a consumer process sets for good."""
    kept = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def test_without_a_subscription_it_says_where_to_mount_one(settings):
    settings.STREAMAPP = {"BROKERS": {"local": LOCAL}, "SUBSCRIPTIONS": {}}
    with pytest.raises(CommandError, match="Mount one"):
        call_command("runconsumers")


def test_an_unknown_name_is_refused(mounted):
    mounted()
    with pytest.raises(CommandError, match="onn"):
        call_command("runconsumers", "onn")
    with pytest.raises(CommandError, match="other"):
        call_command("runconsumers", "--exclude", "other")


def test_fewer_than_one_process_is_refused(mounted):
    mounted()
    with pytest.raises(CommandError, match="from 1 on"):
        call_command("runconsumers", "--processes", "0")


def test_without_tables_it_ends_at_once_and_says_what_to_run(tmp_path):
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{tmp_path}/empty.sqlite3",
        "DJANGO_SETTINGS_MODULE": "projects.settings",
    }
    command = [sys.executable, "manage.py", "runconsumers"]
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=50)
    assert ended.returncode == 1
    assert "manage.py migrate" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.django_db(transaction=True)
def test_a_start_position_that_names_nothing_ends_it_with_one_sentence(mounted, caplog, signals):
    from streamapp import registry
    from streamapp.brokers.local import LocalBroker
    from streamapp.management.running.process import ConsumerProcess

    mounted(START_AT="7@3")
    assert isinstance(registry.broker("local"), LocalBroker)
    registry.broker("local").publish("orders", b"{}")
    assert ConsumerProcess([registry.mount("one")]).run() == 1
    [said] = [record for record in caplog.records if record.levelname == "CRITICAL"]
    assert "START_AT of one" in said.getMessage()
    assert said.exc_info is None
