"""RabbitMQ as the Celery broker: a record is settled once it has confirmed the task, and not before."""

import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from streamapp import registry
from streamapp.contrib.celery import publishing
from streamapp.contrib.celery.sending import Sender
from streamapp.exceptions import BrokerUnavailable
from streamapp.models import DeadLetter
from streamapp.records import Record, Shard
from streamapp.testing import Service
from tests.celery import rabbit
from tests.celery.outages import check_outage, position
from tests.celery.rabbit import QUEUE
from tests.processes.conftest import await_true
from tests.processes.proxy import Proxy

pytestmark = [pytest.mark.live("rabbitmq"), pytest.mark.alone, pytest.mark.timeout(240)]
APP = {"app": "tests.celery.rabbit.app", "workers": "tests.celery.rabbit"}


@pytest.fixture(scope="module", autouse=True)
def queue() -> Iterator[None]:
    """Leave no queue behind."""
    yield
    with rabbit.made().connection_for_write() as connection:
        connection.default_channel.queue_delete(QUEUE)


@pytest.fixture(autouse=True)
def empty() -> Iterator[None]:
    """Leave nothing in the queue, but the queue: the connections of the consumers know that it is there."""
    yield
    with rabbit.made().connection_for_write() as connection:
        connection.default_channel.queue_declare(QUEUE, durable=True, auto_delete=False)
        connection.default_channel.queue_purge(QUEUE)


@pytest.fixture
def through(monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    """Let the consumer reach RabbitMQ through a proxy, and wait a second for its answers."""
    there = urlsplit(rabbit.URL)
    proxy = Proxy(there.hostname, there.port)
    url = rabbit.URL.replace(f":{there.port}", f":{proxy.port}")
    monkeypatch.setattr(rabbit, "app", rabbit.made(url))
    monkeypatch.setattr(publishing, "PATIENCE_SECONDS", 1.0)
    yield proxy
    proxy.close()


def queued() -> int:
    with rabbit.made().connection_for_write() as connection:
        return connection.default_channel.queue_declare(QUEUE, passive=True).message_count


def test_records_are_handled_and_what_fails_comes_again_and_ends_as_a_dead_letter(stage):
    stage = stage(**APP)
    stage.consume({"id": 1}, {"id": 2, "do": "fail_before:2"}, {"id": 3, "do": "fail"})
    assert position() == 3
    stage.work()
    stage.await_handled(1, 2)
    await_true(DeadLetter.objects.exists, "the dead letter")
    attempts = sorted((call["id"], call["attempt"]) for call in stage.calls())
    assert attempts == [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3)]


def test_a_broker_that_dies_before_it_has_confirmed_leaves_the_record_unsettled(stage, through):
    stage = stage(**APP)
    check_outage(through.drop_replies, through.mend)
    stage.work()
    stage.await_handled(1, 2)


@pytest.mark.timeout(40)
def test_a_broker_that_is_silent_is_an_outage_after_a_while(stage, through):
    stage(**APP)
    check_outage(through.mute, through.mend)


def test_a_late_confirmation_confirms_no_other_task(stage, through):
    stage(**APP)
    registry.mounts()
    send = Sender(rabbit.app, "orders")
    first, second, third = (Record(Shard("orders", "0", ""), number, b"{}") for number in range(3))
    send(first)
    through.mute()
    with pytest.raises(BrokerUnavailable):
        send(second)
    through.deafen()
    threading.Timer(0.3, through.speak).start()
    with pytest.raises(BrokerUnavailable):
        send(third)
    assert queued() == 2


def test_a_queue_that_somebody_deletes_takes_no_record_along(stage):
    stage(**APP)
    with Service("orders") as service:
        service.publish("orders", {"id": 1})
        service.run(advance=True)
        assert (position(), queued()) == (1, 1)
        with rabbit.made().connection_for_write() as connection:
            connection.default_channel.queue_delete(QUEUE)
        service.publish("orders", {"id": 2})
        service.run()
        assert position() == 1
        service.run(advance=True)
    assert (position(), queued()) == (2, 1)


def test_a_task_whose_worker_is_killed_runs_on_another_at_once(stage):
    stage = stage(**APP, HANDLER="tests.celery.handlers.linger")
    stage.consume({"id": 1, "seconds": 60})
    worker = stage.work()
    await_true(stage.calls, "the first call")
    worker.kill()
    worker.wait()
    stage.work()
    stage.await_handled(1)
    assert [call["attempt"] for call in stage.calls()] == [1, 1]
