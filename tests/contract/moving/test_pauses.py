"""A subscription or a shard that an operator pauses: nothing of it is handled until somebody resumes."""

import threading

import pytest

from streamapp import Outcome
from streamapp.mount import Retry
from streamapp.services.actions import Pause, Resume
from tests.contract.moving.logs import PATIENCE_SECONDS, TOPICS
from tests.contract.moving.orders import order, ready, rounds
from tests.contract.moving.places import places


def pause(stage, partition=None):
    order(stage, Pause, partition)


def resume(stage, partition=None):
    order(stage, Resume, partition)


def has_handled(worker, values):
    return lambda: sorted(worker.handled) == sorted(values)


def test_nothing_of_a_paused_shard_is_handled_and_the_others_go_on(log, stage):
    worker = ready(stage)
    pause(stage, 0)
    stage.save()
    for partition in (0, 1):
        log.fill(stage.topic, 3, partition)
    stage.run(until=has_handled(worker, places(1, range(10, 13))))
    rounds(stage)
    assert worker.of(0) == []
    assert worker.shards == ["0", "1"]  # the lease stays
    resume(stage, 0)
    stage.save()
    stage.run()
    stage.save()
    assert worker.of(0) == places(0, range(10, 13))
    assert stage.stored() == {"0": 13, "1": 13}


def test_nothing_of_a_paused_subscription_is_handled(log, stage):
    worker = ready(stage)
    pause(stage)
    stage.save()
    log.fill(stage.topic, 3)
    rounds(stage)
    assert worker.handled == []
    resume(stage)
    stage.save()
    stage.run()
    assert worker.handled == places(0, range(10, 13))


@pytest.mark.parametrize("options", [{}, {"lanes": 3}, {"lanes": 3, "order": "key"}, {"kind": "batch"}])
def test_what_was_read_already_waits_and_keeps_its_order(log, stage, options):
    """The pause comes in the middle of a poll's records: the call that runs ends and is saved."""
    # Whoever pauses isn't a part of the handler's transaction, which would keep the rows locked.
    worker = stage.start(start_at="earliest", transaction="none", **options)

    def pausing(ctx):
        if worker.of(0) == ["0@0"] or options.get("kind"):
            pause(stage)
            stage.save()

    worker.when("0@0", pausing)
    stage.run(until=lambda: "0@0" in worker.handled)
    rounds(stage)
    handled = len(worker.of(0))
    assert worker.of(0) == places(0, range(handled))
    if not options.get("kind"):
        assert handled == 1
    assert stage.stored()["0"] == handled
    resume(stage)
    stage.save()
    stage.run()
    assert worker.of(0) == places(0, range(10))


def test_a_pause_survives_a_crash(log, stage):
    worker = ready(stage)
    pause(stage, 0)
    log.fill(stage.topic, 3)
    worker = stage.restart(worker)
    stage.run(until=lambda: worker.shards == ["0", "1"])
    rounds(stage)
    assert worker.handled == []
    resume(stage, 0)
    stage.save()
    stage.run()
    assert worker.handled == places(0, range(10, 13))


def test_a_pause_moves_with_the_shard_to_another_worker(log, stage):
    ready(stage)
    pause(stage, 0)
    stage.save()
    stage.start()
    log.fill(stage.topic, 3)
    stage.run(until=lambda: all(len(worker.shards) == 1 for worker in stage.workers))
    rounds(stage)
    assert [worker.handled for worker in stage.workers] == [[], []]
    resume(stage, 0)
    stage.save()
    stage.run()
    assert sorted(value for worker in stage.workers for value in worker.handled) == places(0, range(10, 13))


@TOPICS
def test_new_shards_of_a_paused_subscription_are_paused_too(log, stages):
    stage = stages(log.topic(partitions=1, filled=2))
    worker = ready(stage)
    pause(stage)
    stage.save()
    log.make(stage.topic, 2)
    log.fill(stage.topic, 2, 1)
    stage.run(until=lambda: worker.shards == ["0", "1"])
    rounds(stage)
    assert worker.handled == []
    resume(stage)
    stage.save()
    stage.run()
    assert worker.handled == places(1, range(2))


def test_a_retry_of_a_paused_shard_waits_and_one_of_another_shard_is_tried(log, stage):
    worker = ready(stage, retry=Retry(attempts=9, first=3600.0, most=3600.0))
    for partition in (0, 1):
        log.fill(stage.topic, 2, partition)
        worker.when(f"{partition}@10", lambda ctx: Outcome.retry())
    stage.run(until=has_handled(worker, ["0@10", "1@10"]))
    pause(stage, 0)
    stage.save()
    worker.ahead += 3600
    stage.run(until=lambda: worker.of(1) == ["1@10", "1@10", "1@11"])
    assert worker.of(0) == ["0@10"]
    resume(stage, 0)
    stage.save()
    stage.run()
    assert worker.of(0) == ["0@10", "0@10", "0@11"]


def test_a_batch_to_be_tried_again_goes_on_without_its_paused_shard(log, stage):
    worker = ready(stage, kind="batch", retry=Retry(attempts=9, first=3600.0, most=3600.0))
    for partition in (0, 1):
        log.fill(stage.topic, 2, partition)
        worker.when(f"{partition}@10", lambda ctx: Outcome.retry())
    stage.run(until=lambda: {"0@10", "1@10"} <= {*worker.handled})
    worker.forget()
    pause(stage, 0)
    stage.save()
    worker.ahead += 3600
    stage.run(until=lambda: worker.of(1) == places(1, [10, 11]))
    assert worker.of(0) == []
    resume(stage, 0)
    stage.save()
    stage.run()
    assert worker.of(0) == places(0, [10, 11])


def test_a_paused_shard_can_be_rewound_and_stays_paused(stage):
    worker = ready(stage)
    pause(stage, 0)
    stage.rewind("0@4")
    stage.save()
    rounds(stage)
    assert worker.handled == []
    resume(stage, 0)
    stage.save()
    stage.run()
    assert worker.handled == places(0, range(4, 10))


def test_a_pause_does_not_speak_against_readiness(stage):
    worker = ready(stage)
    pause(stage)
    stage.save()
    worker.run_once()
    assert worker.consumer.knows_its_shards


def test_nothing_is_read_ahead_of_a_paused_shard(log, stage):
    """The reader pauses: records stay in the log and not in memory."""
    worker = ready(stage)
    pause(stage, 0)
    stage.save()
    rounds(stage, 2)
    log.fill(stage.topic, 5)
    rounds(stage)
    [state] = [s for s in worker.consumer.holdings.states.values() if log.number(s.shard.id) == "0"]
    assert log.place(state.shard, state.watermark.next) == 10


def test_a_long_call_in_a_lane_is_the_last_one(stage):
    """The thread that polls has looked around long before the call ends."""
    worker = stage.start(start_at="earliest", lanes=2, transaction="none")
    paused, looked = threading.Event(), threading.Event()

    def pausing(ctx):
        pause(stage)
        stage.save()
        paused.set()
        assert looked.wait(PATIENCE_SECONDS)

    worker.when("0@0", pausing)
    stage.run(until=paused.is_set)
    rounds(stage, 3)
    looked.set()
    stage.run(until=lambda: not worker.consumer.lanes.calling)
    rounds(stage, 2)
    assert worker.of(0) == ["0@0"]


@pytest.mark.parametrize("options", [{}, {"kind": "batch", "batch": 1}])
def test_no_lane_takes_up_what_was_queued_before_the_pause(stage, options):
    worker = stage.start(start_at="earliest", lanes=2, order="none", transaction="none", **options)
    looked = threading.Event()
    for value in places(0, range(10)) + places(1, range(10)):
        worker.when(value, lambda ctx: None if looked.wait(PATIENCE_SECONDS) else Outcome.hold("late"))
    stage.run(until=lambda: len(worker.handled) == 2)
    rounds(stage, 3)  # more is read and waits for a lane
    pause(stage)
    stage.save()
    rounds(stage, 3)
    looked.set()
    rounds(stage)
    assert len(worker.handled) == 2  # one a lane
    resume(stage)
    stage.save()
    stage.run()
    assert sorted(worker.handled) == sorted(places(0, range(10)) + places(1, range(10)))
