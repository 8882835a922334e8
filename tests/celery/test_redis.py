"""What Redis does to tasks when it is stopped, killed or full, and what becomes of their records."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from celery import Celery
from django.db import transaction

from streamapp import registry
from streamapp.contrib.celery import publishing
from streamapp.positions import parse
from streamapp.services.from_handler import rewind_from_handler
from streamapp.testing import Service
from tests.celery import nowhere, project
from tests.celery.outages import check_outage, position
from tests.celery.own_redis import OwnRedis
from tests.processes.conftest import await_true
from tests.processes.proxy import Proxy

pytestmark = [pytest.mark.live("redis"), pytest.mark.alone, pytest.mark.timeout(240)]


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[OwnRedis]:
    """Give the consumer a Redis of its own."""
    yield from served(monkeypatch, OwnRedis(tmp_path))


@pytest.fixture
def lasting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[OwnRedis]:
    """Give it one that writes down what it is told before it answers."""
    options = ("--appendonly", "yes", "--appendfsync", "always")
    yield from served(monkeypatch, OwnRedis(tmp_path, *options))


def served(monkeypatch: pytest.MonkeyPatch, server: OwnRedis) -> Iterator[OwnRedis]:
    app = Celery("own", broker=server.url, set_as_current=False)
    app.conf.update(task_default_queue=project.QUEUE, task_publish_retry_policy={"max_retries": 0})
    monkeypatch.setattr(nowhere, "app", app)
    yield server
    server.go_on()
    server.kill()


def staged(stage, server, **entry):
    """Set a stage whose consumer and workers use this server."""
    made = stage(app="tests.celery.nowhere.app", **entry)
    made.environment["REDIS_URL"] = server.url
    return made


@pytest.mark.timeout(40)
def test_a_redis_that_is_stopped_is_an_outage_and_the_lane_goes_on_when_it_does(stage, own, monkeypatch):
    monkeypatch.setattr(publishing, "PATIENCE_SECONDS", 0.5)
    stage = staged(stage, own)
    check_outage(own.stop, own.go_on)
    stage.work()
    stage.await_handled(1, 2)


def test_a_redis_that_writes_everything_down_keeps_its_tasks_when_it_is_killed(stage, lasting):
    stage = staged(stage, lasting)
    stage.consume({"id": 1}, {"id": 2})
    lasting.kill()
    lasting.start()
    assert (position(), lasting.queued()) == (2, 2)
    stage.work()
    stage.await_handled(1, 2)


def test_a_redis_that_is_killed_takes_its_tasks_along_and_a_rewind_brings_the_records_again(stage, own):
    stage = staged(stage, own)
    with Service("orders") as service:
        for number in (1, 2):
            service.publish("orders", {"id": number})
        service.run()
        own.kill()
        own.start()
        assert (position(), own.queued()) == (2, 0)
        rewind()
        service.run(advance=True)
    assert own.queued() == 2


def rewind() -> None:
    """Do what an operator does who wants everything again."""
    mount = registry.mount("orders")
    with transaction.atomic():
        rewind_from_handler(mount, registry.broker(mount.broker), parse("earliest"))


def test_a_rewind_brings_records_again_whose_tasks_still_wait(stage, own):
    stage = staged(stage, own)
    with Service("orders") as service:
        for number in (1, 2):
            service.publish("orders", {"id": number})
        service.run()
        rewind()
        service.run(advance=True)
    stage.work()
    await_true(lambda: len(stage.calls("done")) == 4, "all four tasks")
    assert sorted(call["id"] for call in stage.calls()) == [1, 1, 2, 2]


def test_a_record_whose_retry_the_broker_does_not_take_stays_in_its_queue(stage, own):
    stage = staged(stage, own)
    answers = Proxy("127.0.0.1", own.port)
    stage.environment["STREAMAPP_TEST_WRITE_URL"] = f"redis://127.0.0.1:{answers.port}/{project.NUMBER}"
    stage.work()
    answers.cut()
    stage.consume({"id": 1, "do": "fail_before:2"})
    await_true(lambda: stage.said("doesn't take a retry") > 1, "another attempt", 40)
    assert {call["attempt"] for call in stage.calls()} == {1}
    assert len(stage.calls()) <= 3
    answers.mend()
    stage.await_handled(1)
    answers.close()


def test_a_heavy_record_arrives_byte_by_byte(stage):
    stage = stage(HANDLER="tests.celery.handlers.weigh")
    value = bytes(range(256)) * 20_000
    with Service("orders") as service:
        service.publish("orders", value)
        service.run()
    stage.work()
    stage.await_handled(len(value))
    assert redis.Redis.from_url(project.URL).llen(project.QUEUE) == 0
