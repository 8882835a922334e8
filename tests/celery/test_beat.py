"""What beat asks for: due retries where no worker runs, lag samples, pruning; by a real worker on Redis."""

from datetime import UTC, datetime, timedelta

import pytest

from streamapp.contrib.celery import beat_schedule, tasks
from streamapp.copies import Copied
from streamapp.models import DeadLetter, DelayedRecord, Lag, Pause, Subscription
from streamapp.records import Record, Shard
from streamapp.store import Store
from streamapp.store.failed import Failure
from streamapp.testing import Service
from tests.celery import nowhere
from tests.celery.project import app
from tests.processes.conftest import await_true

pytestmark = [pytest.mark.live("redis"), pytest.mark.alone, pytest.mark.timeout(240)]
SHARD = Shard("orders", "0", "")
DAWN = datetime(2026, 11, 1, tzinfo=UTC)
STORE = Store("default")


def delay(position: int, seconds: float = 0.0) -> None:
    record = Record(SHARD, position, b'{"id": %d}' % position)
    STORE.delayed.add("orders", record, Copied(4, "orders/0@0", DAWN, "busy"), seconds)


def letter(position: int) -> None:
    record, copied = Record(SHARD, position, b"{}"), Copied(4, "orders/0@0", DAWN, "busy")
    STORE.dead_letters.add("orders", record, copied, Failure("busy"))


def beat(name: str) -> None:
    """Do what beat does when an entry is due."""
    app.send_task(beat_schedule()[name]["task"])


def test_the_schedule_names_tasks_that_there_are():
    there = {task.name for task in (tasks.due_retries, tasks.sample_lags, tasks.prune)}
    assert {entry["task"] for entry in beat_schedule().values()} == there


def test_due_copies_are_handled_where_no_worker_runs(stage):
    stage = stage()
    delay(1)
    delay(2, 3600.0)
    stage.work()
    beat("streamapp.due_retries")
    stage.await_handled(1)
    assert [(call["id"], call["attempt"]) for call in stage.calls()] == [(1, 4)]
    await_true(lambda: [row.position for row in DelayedRecord.objects.all()] == [2], "the end of the copy")


def test_the_copies_of_a_subscription_that_a_worker_runs_are_left_to_it(stage):
    stage = stage()
    delay(1)
    STORE.workers.register(["orders"], 60.0)
    assert app.tasks["streamapp.due_retries"]() == {}
    assert DelayedRecord.objects.get().claim is None


@pytest.mark.parametrize(
    "entry", [{"TRANSACTION": "checkpoint"}, {"STATE": "tests.unit.registry_sample.State"}]
)
def test_a_copy_whose_handler_needs_its_worker_waits_for_it(stage, entry):
    stage(EXECUTE="worker", **entry)
    delay(1)
    assert app.tasks["streamapp.due_retries"]() == {}
    assert DelayedRecord.objects.get().claim is None


def test_the_copies_of_a_paused_subscription_wait(stage):
    stage().consume({"id": 7})
    delay(1)
    Pause.objects.create(subscription=Subscription.objects.get(), paused_by="ann", paused_at=DAWN)
    assert app.tasks["streamapp.due_retries"]() == {}


def test_copies_that_the_celery_broker_does_not_take_are_anybodys_again(stage):
    stage()
    delay(1)
    assert nowhere.app.tasks["streamapp.due_retries"]() == {}
    assert DelayedRecord.objects.get().claim is None


def test_the_lag_of_shards_that_nobody_reads_is_sampled(stage):
    stage = stage()
    service = Service("orders")
    with service:
        service.publish("orders", {"id": 1})
        service.run()
        service.stop()
        for number in (2, 3):
            service.publish("orders", {"id": number})
        assert app.tasks["streamapp.sample_lags"]() == {"orders": 1}
        service.start()
    assert Lag.objects.get().records == 2


def test_pruning_is_a_task(stage):
    stage = stage()
    letter(1)
    DeadLetter.objects.update(created_at=datetime.now(UTC) - timedelta(days=400))
    letter(2)
    stage.work()
    beat("streamapp.prune")
    await_true(lambda: not DeadLetter.objects.filter(position=1).exists(), "the end of the old letter")
    assert [row.position for row in DeadLetter.objects.all()] == [2]
