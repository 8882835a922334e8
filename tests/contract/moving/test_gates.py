"""Calls that don't start, because the worker may not be the owner any more."""

import time

import pytest

from streamapp import Outcome
from streamapp.engine.keeper import Keeper
from tests.contract.moving.places import places
from tests.contract.moving.worker import TTL


@pytest.mark.parametrize("transaction", ["handler", "checkpoint"])
def test_after_a_call_that_outlasted_the_workers_life_no_other_starts(stage, transaction):
    """Nobody has told the worker: its own clock does."""
    worker = stage.start(start_at="earliest", transaction=transaction)
    worker.when("0@3", lambda ctx: setattr(worker, "ahead", 2 * TTL))
    stage.run(until=lambda: "0@3" in worker.handled)
    assert worker.of(0) == places(0, range(4))
    worker.run_once()
    assert worker.of(0) == places(0, range(4))


@pytest.mark.parametrize("outcome", [Outcome.ack(), Outcome.drop(), None])
@pytest.mark.parametrize("kind", ["record", "batch"])
def test_what_such_a_call_returned_is_worthless_once_the_keeper_has_looked(stage, kind, outcome):
    worker = stage.start(kind=kind, start_at="earliest")

    def outlast(ctx):
        worker.ahead = 2 * TTL
        Keeper([worker.consumer], worker.heartbeat.life, worker._clock).run_once()
        return outcome

    worker.when("0@3", outlast)
    stage.run(until=lambda: "0@3" in worker.handled)
    worker.save()
    assert stage.stored()["0"] == (3 if kind == "record" else 0)


def test_a_shard_that_is_taken_from_busy_lanes_is_let_go_when_their_calls_have_ended(stage):
    """A planned move: the next owner waits so long, and handles nothing again."""
    first = stage.start(start_at="earliest", lanes=4, order="none", transaction="none")
    for value in places(1, range(10)):
        first.when(value, lambda ctx: time.sleep(0.3))
    stage.run(until=lambda: len(first.of(1)) >= 4)
    second = stage.start(lanes=4, order="none", transaction="none")
    stage.run()
    assert sorted(first.handled + second.handled) == sorted([*places(0, range(10)), *places(1, range(10))])
