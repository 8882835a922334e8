"""The ladder with lanes, with several workers, and across deaths and handovers."""

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from streamapp.brokers.base import Broker
from streamapp.exceptions import BrokerUnavailable
from streamapp.ladder import Backoff, Ladder, Limit
from streamapp.models import Alert, AuditEntry, DeadLetter, DelayedRecord, Pause
from streamapp.services.actions import Pause as PauseAction
from streamapp.services.actions import Redeliver, Resume
from tests.contract.moving.orders import holding, order, skip
from tests.contract.moving.places import places
from tests.contract.moving.stage import Stage
from tests.contract.moving.test_out_of_range import alerts_of
from tests.contract.moving.worker import Worker

KINDS = ["record", "async_record"]
HOUR = Ladder(3, backoff=Backoff(3600.0, 3600.0))
DEAD = "takes-nothing-yet"


def fail(ctx):
    raise ValueError("no")


@pytest.fixture
def letters(stage, monkeypatch):
    """A destination for dead letters that refuses them until it is set; `taken` is what it got."""
    opened = threading.Event()
    opened.taken = []
    broker: Broker = stage.log.broker
    publish = broker.publish

    def guarded(destination, value, **options):
        if destination != DEAD:
            return publish(destination, value, **options)
        if not opened.is_set():
            raise BrokerUnavailable("closed")
        return opened.taken.append(value.decode())

    monkeypatch.setattr(broker, "publish", guarded)
    return opened


def look(stage: Stage, worker: Worker) -> None:
    """Do what the threads around the lanes do every second."""
    worker.consumer.delays.look_once()
    worker.consumer.leaving.try_again()
    stage.run()


def make_due(stage: Stage) -> None:
    past = datetime.now(UTC) - timedelta(seconds=1)
    DelayedRecord.objects.filter(subscription=stage.name).update(due_at=past)


def handle_due(stage: Stage, worker: Worker) -> None:
    look(stage, worker)
    look(stage, worker)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ["shard", "key"])
def test_with_lanes_they_wait_and_come_back_in_order(stage, letters, kind, order):
    worker = stage.start(
        kind=kind, start_at="earliest", lanes=3, order=order, hold="key", ladder=Ladder(1, letters=DEAD)
    )
    worker.when("0@2", fail)
    stage.run()
    stage.save()
    assert worker.of(0) == places(0, range(3))
    assert worker.of(1) == places(1, range(10))
    assert stage.stored() == {"0": 2, "1": 10}
    letters.set()
    worker.ahead += 10.0
    look(stage, worker)
    stage.run(until=lambda: len(worker.of(0)) == 10)
    stage.save()
    assert worker.of(0) == places(0, range(10))
    assert stage.stored() == {"0": 10, "1": 10}
    assert stage.held() == []


@pytest.mark.parametrize("kind", ["record", "async_record", "batch"])
def test_with_lanes_a_copy_is_handled_alone_and_once(stage, kind):
    worker = stage.start(kind=kind, start_at="earliest", lanes=3, ladder=HOUR)
    worker.when("0@2", fail)
    stage.run()
    stage.save()
    assert stage.stored() == {"0": 10, "1": 10}
    copies = DelayedRecord.objects.filter(subscription=stage.name)
    before = copies.count()
    assert before == (1 if kind != "batch" else before) >= 1
    worker.forget()
    make_due(stage)
    look(stage, worker)
    stage.run(until=lambda: len(worker.handled) == before)
    worker.consumer.delays.look_once()
    assert not copies.exists()


def test_a_copy_outlives_the_worker_that_made_it_and_the_one_that_claimed_it(stage):
    first = stage.start(start_at="earliest", ladder=HOUR)
    first.when("0@2", fail)
    stage.run()
    stage.save()
    make_due(stage)
    first.consumer.delays.look_once()
    stage.crash(first)
    second = stage.start(ladder=HOUR)
    handle_due(stage, second)
    assert second.handled == []  # it is claimed, and nobody knows that the worker is dead
    past = datetime.now(UTC) - timedelta(seconds=1)
    DelayedRecord.objects.filter(subscription=stage.name).update(claimed_until=past)
    handle_due(stage, second)
    assert second.handled == ["0@2"]
    assert not DelayedRecord.objects.filter(subscription=stage.name).exists()


def test_a_copy_is_one_workers_only(stage):
    first = stage.start(start_at="earliest", ladder=HOUR)
    first.when("0@2", fail)
    first.when("1@3", fail)
    stage.run()
    second = stage.start(ladder=HOUR)
    stage.run()
    first.forget()
    second.forget()
    make_due(stage)
    for worker in (first, second, first, second):
        look(stage, worker)
    assert sorted(first.handled + second.handled) == ["0@2", "1@3"]


def test_a_worker_whose_claim_is_somebody_elses_writes_nothing(stage):
    worker = stage.start(start_at="earliest", transaction="none", ladder=replace(HOUR, most_attempts=2))
    worker.when("0@2", fail)
    stage.run()
    stage.save()

    def lose_the_claim(ctx):
        past = datetime.now(UTC) - timedelta(seconds=1)
        DelayedRecord.objects.filter(subscription=stage.name).update(claimed_until=past)
        assert len(stage.store.delayed.claim(stage.name, 60.0, 10)) == 1
        raise ValueError("too late")

    # The second attempt is the last one, so it would be a dead letter.
    worker.when("0@2", lose_the_claim)
    make_due(stage)
    handle_due(stage, worker)
    (row,) = DelayedRecord.objects.filter(subscription=stage.name)
    assert row.attempt == 2
    assert not DeadLetter.objects.filter(subscription=stage.name).exists()


def test_a_worker_whose_shard_was_rewound_writes_no_letter(stage):
    worker = stage.start(start_at="earliest", transaction="none", ladder=Ladder(1))

    def rewound_meanwhile(ctx):
        stage.rewind("0@0")
        raise ValueError("void")

    worker.when("0@2", rewound_meanwhile)
    stage.run(until=lambda: "0@2" in worker.handled)
    assert not DeadLetter.objects.filter(subscription=stage.name).exists()
    stage.run()
    stage.save()
    assert worker.handled.count("0@2") == 2
    assert stage.stored() == {"0": 10, "1": 10}


def test_nothing_of_a_shard_that_was_handed_over_is_put_away_later(stage, letters):
    """Fault 19: a held record waits to be tried again; its shard goes to another worker meanwhile."""
    options = {"hold": "shard", "ladder": Ladder(1, letters=DEAD)}
    worker = stage.start(start_at="earliest", **options)
    worker.when("0@2", fail)
    worker.when("1@2", fail)
    stage.run()
    other = stage.start(**options)
    stage.run()
    (moved,) = other.shards
    assert other.of(moved) == places(moved, range(2, 10))
    letters.set()
    worker.ahead += 10.0
    look(stage, worker)
    stage.run()
    stage.save()
    assert letters.taken == [f"{worker.shards[0]}@2"]
    assert stage.stored() == {"0": 10, "1": 10}


def test_a_place_that_refuses_letters_is_an_alert_until_it_takes_one(stage, letters):
    worker = stage.start(start_at="earliest", ladder=Ladder(1, letters=DEAD))
    alerts = alerts_of(worker)
    worker.when("0@2", fail)
    stage.run()
    stage.save()
    assert alerts.run_once()
    (shown,) = Alert.objects.filter(checkpoint__subscription__name=stage.name)
    assert (shown.kind, shown.checkpoint.shard) == ("unwritten", stage.log.shard_id(0))
    assert "closed" in shown.text
    letters.set()
    worker.ahead += 10.0
    look(stage, worker)
    assert alerts.run_once()
    assert not Alert.objects.filter(checkpoint__subscription__name=stage.name).exists()


def test_too_many_letters_are_an_alert(stage):
    worker = stage.start(start_at="earliest", ladder=Ladder(1, limit=Limit(2, 2)))
    for number in range(2, 6):
        worker.when(f"0@{number}", fail)
    stage.run()
    assert alerts_of(worker).run_once()
    (shown,) = Alert.objects.filter(checkpoint__subscription__name=stage.name)
    assert (shown.kind, shown.text) == ("limit", "Too many dead letters: 2 records in a row.")


@pytest.mark.parametrize("options", [{}, {"lanes": 3}, {"transaction": "checkpoint"}])
def test_what_waits_goes_on_in_order_when_the_held_record_is_skipped(stage, options):
    worker = stage.start(start_at="earliest", hold="shard", **options)
    holding(worker, "0@2")
    stage.run()
    stage.save()
    assert (worker.of(0), stage.stored()["0"]) == (places(0, range(3)), 2)
    skip(stage, 2)
    stage.save()
    stage.run(until=lambda: len(worker.of(0)) == 10)
    stage.save()
    assert worker.of(0) == places(0, range(10))
    assert stage.stored() == {"0": 10, "1": 10}


@pytest.mark.parametrize("options", [{}, {"lanes": 3}])
def test_what_waits_goes_on_in_order_when_the_held_record_is_redelivered(stage, options):
    worker = stage.start(start_at="earliest", hold="shard", **options)
    holding(worker, "0@2", times=1)
    stage.run()
    stage.save()
    order(stage, Redeliver, 0)
    stage.save()
    stage.run()
    stage.save()
    assert worker.of(0) == places(0, [0, 1, 2, *range(2, 10)])
    assert stage.stored() == {"0": 10, "1": 10}


def test_too_many_letters_pause_the_subscription_until_somebody_resumes(stage):
    worker = stage.start(start_at="earliest", ladder=Ladder(1, limit=Limit(2, 2)))
    for number in range(2, 6):
        worker.when(f"0@{number}", fail)
    stage.run()
    stage.save()
    pause = Pause.objects.get(subscription__name=stage.name)
    assert (pause.checkpoint, pause.reason) == (None, "Too many dead letters: 2 records in a row.")
    entry = AuditEntry.objects.get(subscription=stage.name, action="pause")
    assert (entry.origin, entry.reason) == ("worker", pause.reason)
    worker.consumer.look_at_copies()
    assert worker.consumer.limit.tripped
    order(stage, Resume)
    stage.save()
    worker.consumer.look_at_copies()
    assert not worker.consumer.limit.tripped
    worker.forget()
    order(stage, Redeliver, 0)
    stage.save()
    stage.run()
    stage.save()
    assert worker.of(0)[:2] == places(0, [4, 5])
    assert stage.stored() == {"0": 10, "1": 10}


def test_no_copy_is_handled_while_the_subscription_is_paused(stage):
    worker = stage.start(start_at="earliest", ladder=HOUR)
    worker.when("0@2", fail)
    stage.run()
    stage.save()
    worker.forget()
    order(stage, PauseAction)
    stage.save()
    make_due(stage)
    for _ in range(3):
        worker.consumer.look_at_copies()
        worker.run_once()
    assert worker.handled == []
    order(stage, Resume)
    stage.save()
    worker.consumer.look_at_copies()
    stage.run(until=lambda: worker.handled == ["0@2"])
