"""ORDER: what is handled one after the other, and what side by side."""

import pytest

from streamapp.engine.lanes.splits import SPLITS
from streamapp.engine.lanes.strands import Strands
from streamapp.engine.shard import Placed, ShardState
from streamapp.engine.work import Work
from streamapp.records import Record, Shard
from streamapp.store.checkpoints import Place
from streamapp.store.leases import Taken
from tests.unit.test_watermark import Numbers

LANES = 9


class Keyed(Numbers):
    """Records of these keys, from 0 on."""

    def __init__(self, *keys):
        super().__init__(*range(len(keys)))
        self._keys = keys

    def keys(self):
        return list(self._keys)

    def record(self, index):
        return Record(self.shard, index, b"", key=self._keys[index])


def opened(stream="orders", shard="0"):
    state = ShardState(Shard(stream, shard), Placed(Taken(1, 1, Place(0)), 0))
    state.restart()
    return state


def strands(order, *slices, most=None):
    made = Strands(SPLITS[order], LANES, most)
    made.add(slices)
    return made


def take_all(strands):
    """Take what may be handled side by side; returns it, and which records that are."""
    taken = []
    while one := strands.take(0.0):
        taken.append(one)
    return taken, [[(str(p.state.shard), *p.indexes) for p in one.work.slices] for one in taken]


@pytest.mark.parametrize(
    ("order", "side_by_side"),
    [("shard", [[0, 1, 2, 3]]), ("key", [[0, 2], [1, 3]]), ("none", [[0], [1], [2], [3]])],
)
def test_each_order_hands_out_its_strands_side_by_side(order, side_by_side):
    waiting = strands(order, opened().register(Keyed(b"a", b"b", b"a", b"b")))
    _, records = take_all(waiting)
    assert records == [[("orders/0", *indexes)] for indexes in side_by_side]


def test_a_later_record_of_a_strand_waits_until_the_earlier_one_is_given_back():
    state = opened()
    waiting = strands("key", state.register(Keyed(b"a")))
    waiting.add([state.register(Keyed(b"a"))])
    [first], _ = take_all(waiting)
    assert waiting.take(0.0) is None
    waiting.give_back(first, None)
    assert waiting.take(0.0) is not None


def test_what_is_left_of_a_strand_comes_before_its_later_records_and_when_it_is_due():
    state = opened()
    waiting = strands("key", state.register(Keyed(b"a", b"b")))
    waiting.add([state.register(Keyed(b"a"))])
    (first, second), _ = take_all(waiting)
    waiting.give_back(second, None)
    waiting.give_back(first, Work(first.work.slices, 2, due=5.0))
    assert waiting.take(4.0) is None
    again = waiting.take(5.0)
    assert (again.work.attempt, again.work.slices) == (2, first.work.slices)
    assert waiting.take(5.0) is None


def test_a_record_without_a_key_keeps_the_order_of_its_shard():
    waiting = strands("key", opened().register(Keyed(None, b"a", None)))
    _, records = take_all(waiting)
    assert records == [[("orders/0", 0, 2)], [("orders/0", 1)]]


def test_a_key_is_one_of_its_topic():
    """The same customer in two topics is two strands; in two partitions of a topic, one."""
    slices = [
        opened(*place).register(Keyed(b"a")) for place in [("orders", "0"), ("orders", "1"), ("returns", "0")]
    ]
    _, records = take_all(strands("key", *slices))
    assert records == [[("orders/0", 0)], [("returns/0", 0)]]


def test_what_a_move_has_voided_is_not_handled():
    state = opened()
    waiting = strands("none", state.register(Keyed(b"a", b"b")))
    state.void()
    assert waiting.take(0.0) is None


def test_what_is_withdrawn_is_not_handled_and_the_other_shard_goes_on():
    ours, lost = opened(), opened(shard="1")
    waiting = strands("shard", ours.register(Keyed(b"a")), lost.register(Keyed(b"b")))
    waiting.withdraw([lost.shard])
    _, records = take_all(waiting)
    assert records == [[("orders/0", 0)]]
