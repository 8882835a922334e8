"""A Celery broker that refuses and Celery workers that are killed cost no record."""

import os
import signal
import sys
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import redis
from celery import Celery

from streamapp.models import DeadLetter, Quarantined
from streamapp.testing import Service
from tests.celery import nowhere, project
from tests.celery.outages import check_outage, position
from tests.celery.own_redis import OwnRedis
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


def queued() -> int:
    return int(redis.Redis.from_url(project.URL).llen(project.QUEUE))


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
    check_outage(through.drop_replies, through.mend)
    stage.work()
    stage.await_handled(1, 2)


def test_a_broker_that_has_no_room_refuses_and_the_record_waits(stage, monkeypatch, tmp_path):
    server = OwnRedis(tmp_path)
    try:
        server.client.config_set("maxmemory", 1)
        use(monkeypatch, server.port)
        stage(app="tests.celery.nowhere.app")
        with Service("orders") as service:
            service.publish("orders", {"id": 1})
            service.run()
            assert (position(), service.held, server.queued()) == (0, [], 0)
            server.client.config_set("maxmemory", 0)
            service.run(advance=True)
            assert (position(), server.queued()) == (1, 1)
    finally:
        server.kill()


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
    assert [call["attempt"] for call in stage.calls()] == [1, 1]


def test_a_task_that_a_time_limit_ends_by_force_runs_again(stage):
    stage = stage(HANDLER="tests.celery.handlers.linger")
    stage.consume({"id": 1, "seconds": 60})
    stage.work("-P", "prefork", "-c", "1", "--time-limit", "2")
    stage.await_handled(1)
    assert len(stage.calls()) == 2


def test_a_task_that_a_soft_time_limit_ends_has_failed_and_runs_again(stage):
    stage = stage(HANDLER="tests.celery.handlers.linger")
    stage.consume({"id": 1, "seconds": 60})
    stage.work("-P", "prefork", "-c", "1", "--soft-time-limit", "2")
    stage.await_handled(1)
    assert [call["attempt"] for call in stage.calls()] == [1, 2]


def test_a_consumer_that_is_killed_hands_over_the_rest_when_it_is_back(stage):
    stage = stage()
    with Service("orders") as service:
        for number in range(400):
            service.publish("orders", {"id": number})
    command = [sys.executable, "-m", "django", "runconsumers"]
    consumer = stage.start(command)
    await_true(lambda: queued() > 20, "some tasks", 60)
    consumer.kill()
    consumer.wait()
    assert queued() < 400
    stage.work()
    stage.start(command)
    stage.await_handled(*range(400))
    await_true(lambda: position() == 400, "the checkpoint")


def test_a_record_whose_handler_can_not_be_imported_waits_for_a_worker_that_can(stage):
    stage = stage(HANDLER="tests.celery.fragile.count")
    stage.consume(1)
    half_done = {"STREAMAPP_TEST_RELEASE": "half done", "CELERY_SKIP_CHECKS": "1"}
    stage.environment = half_done
    broken = stage.work(visible_after=0.1)
    await_true(lambda: stage.said("Task failed outside of its handler"), "the error")
    await_true(lambda: stage.said("] received") > 1, "the other try")
    broken.kill()
    broken.wait()
    assert not Quarantined.objects.exists()
    assert not DeadLetter.objects.exists()
    stage.environment = {}
    stage.work(visible_after=0.1)
    stage.await_handled(1)
    assert [call["id"] for call in stage.calls("done")] == [1]


def test_tasks_of_a_renamed_subscription_wait_until_their_workers_know_the_old_name(stage):
    stage = stage()
    stage.consume({"id": 1})
    entries = stage.streamapp["SUBSCRIPTIONS"]
    stage.streamapp["SUBSCRIPTIONS"] = {"purchases": entries["orders"]}
    renamed = stage.work(visible_after=0.1)
    await_true(lambda: stage.said("] received") > 1, "the other try")
    renamed.kill()
    renamed.wait()
    assert stage.calls() == []
    stage.streamapp["SUBSCRIPTIONS"] |= entries
    stage.work(visible_after=0.1)
    stage.await_handled(1)
    assert [call["attempt"] for call in stage.calls()] == [1]
