"""Which of a worker's shards may move, and which of its outcomes count."""

from uuid import UUID

import pytest

from streamapp.engine.holdings import Holdings
from streamapp.engine.shard import Placed
from streamapp.records import Shard
from streamapp.store.checkpoints import Difference, Place
from streamapp.store.leases import Taken
from tests.unit.test_watermark import Numbers

SHARD = Shard("orders", "0")
ME, OTHER = UUID(int=1), UUID(int=2)


@pytest.fixture
def holdings():
    """One shard that is read from 100 on, under epoch 1."""
    holdings = Holdings(ME)
    holdings.add({SHARD: Placed(Taken(1, 1, Place(100)), 100)})
    holdings.restart(holdings.targets())
    holdings.unsaved()
    return holdings


def difference(epoch, position, worker=ME):
    return Difference(1, epoch, Place(position), worker)


def test_a_rewound_shard_is_not_read_before_its_parents_were_looked_at(holdings):
    holdings.accept([difference(2, 50)])
    assert holdings.targets() == {}
    holdings.check(holdings.unchecked())
    assert holdings.targets() == {SHARD: 50}


def test_a_look_at_the_parents_from_before_a_rewind_does_not_count(holdings):
    holdings.accept([difference(2, 50)])
    looked = holdings.unchecked()
    holdings.accept([difference(3, 30)])
    holdings.check(looked)
    assert holdings.targets() == {}


def test_outcomes_and_saves_from_before_a_rewind_are_void(holdings):
    state = holdings.states[SHARD]
    part = state.register(Numbers(100, 101))
    part.span.settle_all(part.indexes)
    snapshot = state.snapshot()
    holdings.accept([difference(2, 50)])
    assert not part.current
    assert state.snapshot() is None
    holdings.saved([snapshot])
    holdings.check(holdings.unchecked())
    holdings.restart(holdings.targets())
    assert state.place() == Place(50)


def test_a_shard_that_somebody_else_took_is_let_go_and_its_work_is_void(holdings):
    part = holdings.states[SHARD].register(Numbers(100))
    holdings.accept([difference(2, 100, OTHER)])
    assert not part.current
    assert holdings.states == {}
    assert holdings.take_fenced() == [SHARD]


def test_a_row_read_before_the_own_takeover_takes_nothing_away(holdings):
    """Its epoch is an older one: whoever it names was the owner before."""
    holdings.accept([difference(0, 90, OTHER)])
    assert SHARD in holdings.states
