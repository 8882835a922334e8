"""A lane holds a record in the very moment in which another thread saves, moves or skips."""

import threading
from uuid import UUID

import pytest

from streamapp.engine.held_notes import HeldNotes
from streamapp.engine.holdings import Holdings
from streamapp.engine.shard import Keeping, Placed
from streamapp.engine.waits import Waits
from streamapp.records import Shard
from streamapp.store.checkpoints import Difference, Place
from streamapp.store.controls import Orders, SkipOrder, Told
from streamapp.store.leases import Taken
from streamapp.store.records import Held
from tests.unit.test_watermark import Numbers

SHARD = Shard("orders", "0")
ME = UUID(int=1)
PATIENCE_SECONDS = 0.3
"""How long what must wait is watched waiting; what need not wait is done at once."""


class Moment:
    """A place in the code at which one thread stands still until another one had its chance."""

    def __init__(self):
        self.reached, self.left = threading.Event(), threading.Event()

    def stand_still(self):
        self.reached.set()
        assert self.left.wait(10)

    def meanwhile(self, lane, other):
        """Run `lane` up to the moment, then `other`, then `lane` to its end."""
        threads = [threading.Thread(target=lane), threading.Thread(target=other)]
        threads[0].start()
        assert self.reached.wait(10)
        threads[1].start()
        threads[1].join(PATIENCE_SECONDS)
        self.left.set()
        for thread in threads:
            thread.join(10)
            assert not thread.is_alive()


class StandingChunk(Numbers):
    """A chunk at whose position the lane stands still, which is in the middle of a hold."""

    def __init__(self, moment, *positions):
        super().__init__(*positions)
        self.moment = moment
        self.begun = False

    def position(self, index):
        if self.begun and threading.current_thread() is not threading.main_thread():
            self.begun = False
            self.moment.stand_still()
        return super().position(index)


@pytest.fixture
def moment():
    return Moment()


@pytest.fixture
def holdings():
    """One shard that is read from 100 on, under epoch 1, and where everything waits behind a held record."""
    holdings = Holdings(ME, Keeping(waits=lambda: Waits("shard")))
    holdings.add({SHARD: Placed(Taken(1, 1, Place(100)), 100)})
    holdings.restart(holdings.targets())
    holdings.unsaved()
    return holdings


def holding(holdings, moment):
    """What a lane does, up to the moment and behind it; and the slice that it does it with."""
    chunk = StandingChunk(moment, 100, 101)
    part = holdings.register(chunk)
    chunk.begun = True
    return part, lambda: part.state.hold(part, 0, "no carrier")


def test_a_hold_in_the_moment_of_a_save_is_shown_by_this_one_or_the_next(moment):
    class List(list):
        def append(self, record):
            moment.stand_still()
            super().append(record)

    notes, found, record = HeldNotes(), [], Held(1, 100, "no carrier")
    notes._held = List()
    moment.meanwhile(lambda: notes.held(record), lambda: found.extend(list(notes.take()[0])))
    assert [*found, *notes.take()[0]] == [record]


def test_a_hold_in_the_moment_of_a_rewind_is_shown_to_nobody_and_stops_nothing(holdings, moment):
    _, hold = holding(holdings, moment)

    def rewind():
        holdings.accept([Difference(1, 2, Place(50), ME)])
        holdings.check(holdings.unchecked())
        holdings.restart(holdings.targets())

    moment.meanwhile(hold, rewind)
    assert holdings.unsaved().held == []
    again = holdings.register(Numbers(50, 51))
    assert holdings.states[SHARD].waits.sift(again) is again


def test_a_hold_in_the_moment_of_its_skip_is_shown_to_nobody(holdings, moment):
    part, hold = holding(holdings, moment)
    order = SkipOrder(1, 1, 100, Told("ann", "gone"), applied=False, passed=False)
    holdings.obey(Orders(skips=(order,)))
    moment.meanwhile(hold, holdings.retire)
    assert holdings.unsaved().held == []
    assert part.span.lowest == 1


def test_a_hold_of_an_older_generation_holds_nothing(holdings):
    part = holdings.register(Numbers(100, 101))
    holdings.accept([Difference(1, 2, Place(100), ME)])
    assert not part.state.hold(part, 0, "no carrier")
    assert holdings.unsaved().held == []
