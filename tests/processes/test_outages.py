"""The database or the broker goes away and comes back: on Apache Kafka and PostgreSQL.

The database is cut off by a proxy, the broker is one of the test's own that is killed.
"""

import os
import signal
import subprocess
import sys

import pytest
from django.db import connection

from tests.processes.conftest import ROOT, await_true
from tests.processes.proxy import Proxy

pytestmark = [pytest.mark.live("kafka", "postgres"), pytest.mark.timeout(300)]


@pytest.fixture
def proxy():
    settings = connection.settings_dict
    proxy = Proxy(settings["HOST"] or "127.0.0.1", int(settings["PORT"]))
    yield proxy
    proxy.close()


def says(stage, sentence: bytes) -> bool:
    return sentence in stage.output.read_bytes()


def test_a_start_while_the_database_is_down_waits_and_says_so(stage, proxy):
    stage = stage()
    stage.database = {"HOST": "127.0.0.1", "PORT": proxy.port}
    stage.publish({"id": 0})
    proxy.cut()
    process = stage.start()
    await_true(lambda: says(stage, b"database is down, waiting"), "the message", 60)
    await_true(
        lambda: says(stage, b"Heartbeat not written, trying again."), "the message of the heartbeat", 60
    )
    assert process.poll() is None
    proxy.mend()
    stage.await_handled(0, seconds=60)


@pytest.mark.parametrize("seconds", [0.5, 4.0], ids=["within the TTL", "past the TTL"])
def test_a_database_that_goes_away_costs_no_record_and_no_attempt(stage, proxy, seconds):
    stage = stage(
        RETRY={"attempts": 2, "backoff": "0.1s..0.1s"}, HANDLER="tests.processes.handlers.touch_database"
    )
    stage.database = {"HOST": "127.0.0.1", "PORT": proxy.port}
    stage.publish(*({"id": number} for number in range(300)))
    process = stage.start()
    await_true(lambda: len(stage.handled()) > 20, "traffic", 60)
    proxy.cut()
    cut_at = len(stage.handled())
    assert not await_or_not(lambda: len(stage.handled()) > cut_at + 1, seconds), (
        "nothing is handled meanwhile"
    )
    proxy.mend()
    stage.await_handled(*range(300), seconds=90)
    await_true(lambda: stage.positions() == {"0": 300}, "the checkpoint at the end")
    assert process.poll() is None
    assert {call["attempt"] for call in stage.calls()} == {1}
    assert not says(stage, b"Record held.")


def await_or_not(condition, seconds) -> bool:
    """Tell whether the condition became true within so many seconds."""
    try:
        return bool(await_true(condition, "nothing", seconds))
    except AssertionError:
        return False


def test_terminated_connections_cost_no_record_and_no_attempt(stage):
    stage = stage(
        RETRY={"attempts": 2, "backoff": "0.1s..0.1s"}, HANDLER="tests.processes.handlers.touch_database"
    )
    stage.publish(*({"id": number} for number in range(400)))
    stage.start()
    for handled in (20, 120, 220, 320):
        await_true(lambda least=handled: len(stage.handled()) > least, "traffic", 60)
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
    stage.await_handled(*range(400), seconds=60)
    await_true(lambda: stage.positions() == {"0": 400}, "the checkpoint at the end")
    assert {call["attempt"] for call in stage.calls()} == {1}


@pytest.fixture
def own_kafka(tmp_path_factory):
    """Return a function that runs script/services for a Kafka of the test's own, and its address."""
    state = tmp_path_factory.mktemp("kafka")

    def services(*arguments: str) -> str:
        environment = {**os.environ, "STREAMAPP_SERVICES_STATE": str(state), "STREAMAPP_DOCKER": "no"}
        command = [sys.executable, "script/services", *arguments, "kafka"]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True)
        lines = (state / "env").read_text().splitlines() if (state / "env").exists() else []
        return next((line.split("=", 1)[1] for line in lines if line.startswith("KAFKA")), "")

    services("install")
    yield services, state
    services("down", "--wipe")


def test_a_broker_that_is_killed_and_comes_back_costs_no_record(own_kafka, stage):
    services, state = own_kafka
    stage = stage.on(services("up"), partitions=2)
    services("down")
    process = stage.start()
    await_true(lambda: says(stage, b"Waiting for the broker"), "the message", 60)
    services("up")
    stage.publish(*({"id": number, "do": "sleep:0.02"} for number in range(200)))
    await_true(lambda: len(stage.handled()) > 20, "traffic", 90)
    [pid] = [int(path.read_text()) for path in state.glob("kafka/*/node-*/pid")]
    os.kill(pid, signal.SIGKILL)
    services("up")
    stage.publish(*({"id": number} for number in range(200, 250)))
    stage.await_handled(*range(250), seconds=120)
    await_true(lambda: sum(stage.positions().values()) == 250, "the checkpoints at the end", 60)
    assert process.poll() is None
