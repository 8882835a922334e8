"""A Celery broker that refuses and Celery workers that are killed cost no record."""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import redis
from celery import Celery

from streamapp.models import Checkpoint
from streamapp.testing import Service
from tests.celery import nowhere, project
from tests.processes.conftest import await_true
from tests.processes.proxy import Proxy

pytestmark = [pytest.mark.live("redis"), pytest.mark.alone, pytest.mark.timeout(240)]


@pytest.fixture
def through(monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """Let the app of the consumer reach Redis through a proxy."""
    there = urlsplit(project.URL)
    proxy = Proxy(there.hostname, there.port)
    use(monkeypatch, proxy.port)
    yield proxy
    proxy.close()


def use(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    app = Celery("elsewhere", broker=f"redis://127.0.0.1:{port}/{project.NUMBER}", set_as_current=False)
    app.conf.update(task_default_queue=project.QUEUE, task_publish_retry_policy={"max_retries": 0})
    monkeypatch.setattr(nowhere, "app", app)


def position() -> int:
    return Checkpoint.objects.get().position


def test_a_broker_that_is_down_is_an_outage_and_nothing_is_counted(stage, through):
    stage = stage(app="tests.celery.nowhere.app")
    with Service("orders") as service:
        through.cut()
        service.publish("orders", {"id": 1})
        for _ in range(3):
            service.run()
            service.advance()
        assert (position(), service.held, service.settled) == (0, [], [])
        through.mend()
        service.run(advance=True)
    assert position() == 1
    stage.work()
    stage.await_handled(1)
    assert [call["attempt"] for call in stage.calls()] == [1]


def test_a_task_whose_confirmation_is_lost_may_come_twice_but_comes(stage, through):
    stage = stage(app="tests.celery.nowhere.app")
    with Service("orders") as service:
        service.publish("orders", {"id": 1})
        service.run()
        service.publish("orders", {"id": 2})
        through.drop_replies()
        service.run()
        assert position() == 1
        through.mend()
        service.run(advance=True)
    assert position() == 2
    stage.work()
    stage.await_handled(1, 2)


def test_a_broker_that_has_no_room_refuses_and_the_record_waits(stage, monkeypatch, tmp_path):
    if not (program := shutil.which("redis-server")):
        pytest.skip("redis-server: not installed, and this test fills one of its own")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [program, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--dir", str(tmp_path)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        client = redis.Redis(port=port, db=project.NUMBER)
        await_true(lambda: answers(client), "Redis")
        client.config_set("maxmemory", 1)
        use(monkeypatch, port)
        stage(app="tests.celery.nowhere.app")
        with Service("orders") as service:
            service.publish("orders", {"id": 1})
            service.run()
            assert (position(), service.held, client.llen(project.QUEUE)) == (0, [], 0)
            client.config_set("maxmemory", 0)
            service.run(advance=True)
            assert (position(), client.llen(project.QUEUE)) == (1, 1)
    finally:
        server.kill()
        server.wait()


def answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False


def test_a_task_whose_process_is_killed_runs_again(stage):
    stage = stage()
    stage.consume({"id": 1, "do": "sleep:3"})
    stage.work("-P", "prefork", "-c", "1")
    (call,) = await_true(stage.calls, "the first call")
    os.kill(call["pid"], signal.SIGKILL)
    stage.await_handled(1)
    assert [each["attempt"] for each in stage.calls()] == [1, 1]


def test_a_task_whose_worker_is_killed_runs_again_on_another(stage):
    stage = stage()
    stage.consume({"id": 1, "do": "sleep:2"})
    worker = stage.work(visible_after=0.1)
    await_true(stage.calls, "the first call")
    worker.kill()
    worker.wait()
    stage.work(visible_after=0.1)
    stage.await_handled(1)
