"""What the rest of a project hears: checkpoints, held records, leases; and that it can't disturb."""

import threading

import pytest

from streamapp import signals
from streamapp.models import HeldRecord
from streamapp.outcomes import Outcome

ALL = ("checkpoint_advanced", "record_held", "lease_taken", "lease_lost", "shard_finished")


@pytest.fixture
def heard():
    """Everything that is announced, in order: the signal's name and its arguments."""
    told = []

    def receiver(name):
        def receive(sender, signal, **arguments):
            told.append((name, sender, arguments))

        return receive

    receivers = {name: receiver(name) for name in ALL}
    for name, receive in receivers.items():
        getattr(signals, name).connect(receive)
    yield told
    for name, receive in receivers.items():
        getattr(signals, name).disconnect(receive)


def announce(worker):
    worker.consumer.watch.announcements.send_waiting()


def arguments(heard, name):
    return [arguments for signal, _, arguments in heard if signal == name]


def test_a_worker_tells_of_its_leases_checkpoints_and_held_records(log, stage, heard):
    worker = stage.start(start_at="earliest")
    worker.when("0@4", lambda ctx: Outcome.hold("unknown carrier"))
    stage.run()
    stage.save()
    announce(worker)
    taken = arguments(heard, "lease_taken")
    assert sorted(log.number(each["shard"].id) for each in taken) == ["0", "1"]
    assert {each["worker"] for each in taken} == {worker.heartbeat.identity}
    written = {log.number(each["shard"].id): each for each in arguments(heard, "checkpoint_advanced")}
    assert {shard: log.place(each["shard"], each["position"]) for shard, each in written.items()} == {
        "0": 4,
        "1": 10,
    }
    [held] = arguments(heard, "record_held")
    assert (log.place(held["shard"], held["position"]), held["reason"]) == (4, "unknown carrier")
    assert HeldRecord.objects.filter(position=held["position"]).exists()
    assert {sender for _, sender, _ in heard} == {stage.name}
    heard.clear()
    stage.save()
    announce(worker)
    assert heard == [], "nothing has happened since"
    stage.stop(worker)
    announce(worker)
    assert sorted(log.number(each["shard"].id) for each in arguments(heard, "lease_lost")) == ["0", "1"]


def test_exactly_once_tells_of_checkpoints_too_and_no_more_often_than_they_are_saved(log, stage, heard):
    worker = stage.start(start_at="earliest", transaction="checkpoint")
    stage.run()
    stage.save()
    announce(worker)
    told = arguments(heard, "checkpoint_advanced")
    assert sorted(log.place(each["shard"], each["position"]) for each in told) == [10, 10]


def test_without_stored_checkpoints_none_is_told(stage, heard):
    worker = stage.start(start_at="earliest", checkpoints="process")
    stage.run()
    stage.save()
    announce(worker)
    assert arguments(heard, "checkpoint_advanced") == []


def test_a_lease_that_somebody_took_is_told_as_lost(log, stage, heard):
    worker = stage.start(start_at="earliest")
    stage.run()
    thief = stage.store.workers.register([stage.name], 60.0)
    stage.store.leases.take(thief, [row.pk for row in stage.rows()])
    stage.save()
    announce(worker)
    lost = arguments(heard, "lease_lost")
    assert sorted(log.number(each["shard"].id) for each in lost) == ["0", "1"]
    assert {each["worker"] for each in lost} == {worker.heartbeat.identity}


def test_a_receiver_that_raises_is_logged_and_the_others_hear_all_the_same(stage, heard, caplog):
    def fail(**_):
        raise ValueError("the receiver's own fault")

    signals.lease_taken.connect(fail)
    try:
        worker = stage.start(start_at="earliest")
        stage.run()
        announce(worker)
    finally:
        signals.lease_taken.disconnect(fail)
    assert "the receiver's own fault" in caplog.text
    assert len(arguments(heard, "lease_taken")) == 2


def test_a_receiver_that_never_returns_stops_neither_reading_nor_saving(stage):
    release = threading.Event()
    entered = threading.Event()

    def wait(**_):
        entered.set()
        release.wait(30)

    signals.lease_taken.connect(wait)
    worker = stage.start(start_at="earliest")
    sending = threading.Thread(target=lambda: (entered.wait(0), announce(worker)))
    try:
        worker.run_once()
        stage.run()
        sending.start()
        assert entered.wait(30)
        stage.save()
        assert set(stage.stored().values()) == {10}
        assert sending.is_alive(), "the receiver has not returned"
    finally:
        release.set()
        sending.join()
        signals.lease_taken.disconnect(wait)


def test_what_receivers_are_too_slow_for_is_dropped_with_a_word(stage, heard, caplog, monkeypatch):
    monkeypatch.setattr("streamapp.engine.announcing.WAITING_AT_MOST", 1)
    worker = stage.start(start_at="earliest")
    stage.run()
    announce(worker)
    assert len(heard) == 1
    assert "Signals dropped, receivers are too slow. dropped=1" in caplog.text
