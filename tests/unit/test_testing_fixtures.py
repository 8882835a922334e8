"""The pytest fixture."""

import pytest
from django.test import override_settings

from streamapp import LocalStream, subscriber
from streamapp.models import Worker
from streamapp.models.worker import WorkerState
from streamapp.testing.fixtures import stream_service  # noqa: F401

GREETED: list[str] = []
SETTINGS = {
    "BROKERS": {"local": {"BACKEND": "streamapp.brokers.local.LocalBroker"}},
    "SUBSCRIPTIONS": {"greetings": {"HANDLER": f"{__name__}.greet"}},
}


@subscriber(LocalStream("greetings"))
def greet(name: str) -> None:
    GREETED.append(name)


@pytest.fixture(autouse=True)
def mounted():
    GREETED.clear()
    with override_settings(STREAMAPP=SETTINGS):
        yield


@pytest.fixture
def workers_left(db):
    """Look at the rows after the services have been stopped."""
    yield
    assert not Worker.objects.filter(state=WorkerState.ALIVE).exists()


def test_starts_services_and_stops_them(workers_left, stream_service):  # noqa: F811
    first = stream_service("greetings")
    second = stream_service(beside=first)
    first.publish("greetings", "Ada")
    first.run()
    assert GREETED == ["Ada"]
    assert Worker.objects.filter(state=WorkerState.ALIVE).count() == 2
    assert len(first.settled) + len(second.settled) == 1


def test_is_importable_before_django_is_set_up():
    import subprocess
    import sys

    code = "import streamapp.testing.fixtures, django.apps; assert not django.apps.apps.ready"
    subprocess.run([sys.executable, "-c", code], check=True)
