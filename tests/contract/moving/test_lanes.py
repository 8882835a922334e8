"""LANES and ORDER: handlers side by side, and what stays in order."""

import threading
import time

import pytest

from streamapp import Outcome
from streamapp.outcomes import ACK
from tests.contract.moving.logs import wait_for
from tests.contract.moving.places import places
from tests.contract.moving.stage import AT_ONCE
from tests.contract.moving.test_exactly_once import Effects, exact

KINDS = ["record", "async_record", "batch"]


def until(event):
    """Wait in a handler for what the test does next."""
    assert event.wait(20)


@pytest.mark.parametrize("order", ["shard", "key", "none"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_record_is_handled_once_and_the_checkpoints_are_the_ends(stage, kind, order):
    worker = stage.start(kind=kind, start_at="earliest", lanes=4, order=order)
    stage.run()
    stage.save()
    assert sorted(worker.handled) == sorted([*places(0, range(10)), *places(1, range(10))])
    assert stage.stored() == {"0": 10, "1": 10}


@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_a_shard_is_kept(stage, kind):
    """The records have no keys, so by key they keep the order of their shards."""
    worker = stage.start(kind=kind, start_at="earliest", lanes=4, order="key")
    stage.run()
    assert (worker.of(0), worker.of(1)) == (places(0, range(10)), places(1, range(10)))


def test_a_call_that_waits_keeps_no_other_strand_waiting(stage):
    worker = stage.start(start_at="earliest", lanes=2, transaction="none")
    released = threading.Event()
    worker.when("0@0", lambda ctx: until(released))
    stage.run(until=lambda: worker.of(1) == places(1, range(10)) and worker.of(0))
    assert worker.of(0) == ["0@0"]
    released.set()
    stage.run()
    assert worker.of(0) == places(0, range(10))


def test_without_order_one_shard_is_handled_side_by_side(stage):
    worker = stage.start(start_at="earliest", lanes=3, order="none", transaction="none")
    together = threading.Barrier(3)
    for value in ["0@0", "0@1", "0@2"]:
        worker.when(value, lambda ctx: None if together.wait(20) < 3 else Outcome.hold())
    stage.run()
    assert not together.broken


@pytest.mark.parametrize("kind", ["record", "async_record"])
def test_a_retry_and_a_hold_stop_only_their_own_strand(stage, kind):
    worker = stage.start(kind=kind, start_at="earliest", lanes=3, order="none", retry=AT_ONCE)
    worker.when("0@2", lambda ctx: Outcome.retry("later"), lambda ctx: Outcome.hold("no"))
    stage.run()
    stage.save()
    assert stage.stored() == {"0": 2, "1": 10}
    assert stage.held() == [("0", 2)]
    assert worker.handled.count("0@2") == 2


def test_the_checkpoint_never_passes_a_call_that_runs(stage):
    worker = stage.start(start_at="earliest", lanes=4, order="none", transaction="none")
    released = threading.Event()
    worker.when("0@3", lambda ctx: until(released))
    stage.run(until=lambda: len(worker.of(0)) == 10)
    stage.save()
    assert stage.stored()["0"] == 3
    released.set()
    stage.run()
    stage.save()
    assert stage.stored()["0"] == 10


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # it is meant to die
def test_a_lane_that_dies_ends_the_worker(stage):
    worker = stage.start(start_at="earliest", lanes=2)
    worker.when("0@1", lambda ctx: (_ for _ in ()).throw(SystemExit(3)))
    with pytest.raises(SystemExit):
        stage.run(until=lambda: False)
    assert worker.handled.count("0@1") == 1


def test_a_move_waits_for_calls_that_run_so_nothing_is_handled_twice(stage):
    first = stage.start(start_at="earliest", lanes=4, order="none")
    for value in [*places(0, range(10)), *places(1, range(10))]:
        first.when(value, lambda ctx: time.sleep(0.1))
    stage.run(until=lambda: len(first.handled) >= 4)
    stage.stop(first)
    second = stage.start(lanes=4, order="none")
    stage.run()
    assert sorted(first.handled + second.handled) == sorted([*places(0, range(10)), *places(1, range(10))])


@pytest.mark.live("postgres")  # SQLite lets one lane write at a time
@pytest.mark.parametrize("kind", ["record", "batch"])
def test_effects_happen_once_with_several_lanes(stage, kind):
    effects = Effects(stage)
    worker = exact(stage, effects, kind=kind, lanes=4, order="none")
    worker.calls.reactions["0@3"] = [lambda ctx: Outcome.hold()] if kind == "record" else [lambda ctx: ACK]
    stage.run()
    worker = stage.restart(worker, transaction="checkpoint", kind=kind, lanes=4, order="none")
    stage.run()
    assert worker.handled == (["0@3"] if kind == "record" else [])
    assert effects.all() == places(0, [0, 1, 2, 4, 5, 6, 7, 8, 9])


def test_a_seek_voids_what_other_lanes_handle(stage):
    worker = stage.start(start_at="earliest", lanes=4, order="none")
    seen, positions, before = threading.Event(), [], []

    def remember(ctx):
        positions.append(ctx.position)
        seen.set()

    def go_back(ctx):
        until(seen)
        before.extend(worker.of(0))
        ctx.seek(positions[0])

    worker.when("0@5", remember)
    worker.when("0@9", go_back)
    stage.run()
    wait_for(lambda: not worker.consumer.busy, lambda: "all calls have ended")
    again = [value for value in places(0, range(5, 10)) if value in before]
    assert {"0@5", "0@9"} <= set(again)
    assert [worker.handled.count(value) for value in again] == [2] * len(again)
    stage.save()
    assert stage.stored()["0"] == 10
