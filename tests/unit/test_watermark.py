"""The watermark: faults 1 to 4 of what others met in production, and the kinds behind them."""

from dataclasses import dataclass

import pytest

from streamapp.brokers.reading import Chunk
from streamapp.engine.watermark import Watermark
from streamapp.records import Record, Shard

SHARD = Shard("orders", "0")


class Numbers(Chunk):
    """A chunk of bare positions."""

    def __init__(self, *positions: int, end: int | None = None) -> None:
        self.shard = SHARD
        self.positions = positions
        self.end = end or positions[-1] + 1

    def __len__(self) -> int:
        return len(self.positions)

    def position(self, index: int) -> int:
        return self.positions[index]

    def values(self, start: int = 0, stop: int | None = None) -> list[bytes | None]:
        return [b""] * len(self.positions[start:stop])

    def record(self, index: int) -> Record:
        return Record(SHARD, self.positions[index], b"")


@dataclass
class Log:
    """Delivers positions and settles them by number."""

    watermark: Watermark

    def __post_init__(self) -> None:
        self.spans = {}

    def deliver(self, *positions: int, end: int | None = None) -> None:
        span = self.watermark.register(Numbers(*positions, end=end))
        self.spans |= {position: (span, index) for index, position in enumerate(positions)}

    def settle(self, *positions: int) -> int:
        for position in positions:
            span, index = self.spans[position]
            span.settle(index)
        return self.watermark.lowest()

    def hold(self, position: int) -> int:
        span, index = self.spans[position]
        span.hold(index)
        return self.watermark.lowest()


@pytest.fixture
def log() -> Log:
    return Log(Watermark(100))


def test_an_unfinished_head_stops_the_checkpoint(log):
    log.deliver(*range(100, 107))
    assert log.settle(101, 102, 104, 105, 106) == 100
    assert log.settle(100) == 103
    assert log.settle(103) == 107


def test_an_unfinished_head_in_an_earlier_chunk_stops_it_too(log):
    log.deliver(100, 101)
    log.deliver(102, 103)
    assert log.settle(101, 102, 103) == 100
    assert log.settle(100) == 104


def test_offsets_that_do_not_exist_are_never_waited_for(log):
    log = Log(Watermark(5))
    log.deliver(5, 6, 9, 15)
    assert log.settle(5, 6, 15) == 9
    assert log.settle(9) == 16


def test_fetched_is_not_finished():
    log = Log(Watermark(0))
    log.deliver(*range(10))
    assert log.settle(0, 1, 2, 3) == 4


def test_a_held_record_stops_the_checkpoint_while_later_ones_settle(log):
    log.deliver(100, 101, 102)
    log.settle(100)
    assert log.hold(101) == 101
    assert log.settle(102) == 101
    log.deliver(103, 104)
    assert log.settle(103, 104) == 101
    assert log.watermark.ahead() == 4


def test_a_record_held_out_of_order_stops_it(log):
    log.deliver(100, 101, 102)
    assert log.hold(101) == 100
    assert log.settle(100, 102) == 101


def test_only_who_has_all_that_is_left_may_settle_in_order_without_asking(log):
    log.deliver(*range(100, 106))
    span, _ = log.spans[100]
    assert span.is_walk(range(6))
    assert not span.is_walk(range(1, 6)), "another lane has the first record"
    assert not span.is_walk(range(5)), "another lane has the last record"
    assert not span.is_walk([0, 1, 2, 4, 5]), "another lane has one in the middle"
    log.hold(100)
    log.settle(101)
    assert span.is_walk(range(2, 6)), "what is held is nobody's to settle in order"
    log.settle(105)
    assert not span.is_walk(range(2, 6)), "a record behind the cursor came to its outcome already"


def test_the_first_of_several_held_records_counts(log):
    log.deliver(100, 101, 102, 103)
    log.hold(102)
    log.hold(100)
    assert log.settle(101, 103) == 100


def test_the_end_of_the_log_is_the_checkpoint_when_nothing_is_unsettled(log):
    log.deliver(100, end=105)
    assert log.settle(100) == 105
    log.watermark.reach(110)
    assert log.watermark.lowest() == 110


def test_the_end_of_the_log_never_passes_an_unsettled_record(log):
    log.deliver(100, 101)
    log.watermark.reach(110)
    assert log.settle(101) == 100
    assert log.settle(100) == 110


def test_reaching_an_earlier_place_does_not_go_back(log):
    log.watermark.reach(90)
    assert log.watermark.lowest() == 100


def test_memory_of_settled_records_behind_a_held_one_is_let_go(log):
    log.deliver(100)
    log.deliver(101, 102)
    log.hold(100)
    log.settle(101, 102)
    log.watermark.free_memory()
    span, _ = log.spans[101]
    assert span.chunk is None
    assert log.watermark.lowest() == 100


def test_settled_records_behind_the_watermark_are_told_as_ranges(log):
    log.deliver(100, 101, 102, 105)
    log.deliver(106, 107, 110)
    log.hold(101)
    log.settle(100, 102, 105, 106, 110)
    assert log.watermark.place() == (101, [(102, 106), (110, 110)])


def test_the_place_after_a_commit_is_known_before_it(log):
    log.deliver(100, 101, 102)
    log.deliver(103, 104)
    log.settle(101)
    span, index = log.spans[100]
    assert log.watermark.place({span: [index]}) == (102, [])
    assert log.watermark.place({log.spans[103][0]: range(2)}) == (100, [(101, 101), (103, 104)])
    assert log.watermark.place() == (100, [(101, 101)])


def test_settled_records_that_were_let_go_are_still_told(log):
    for position in range(100, 110):
        log.deliver(position)
    log.hold(100)
    log.settle(*range(101, 105), *range(106, 110))
    log.watermark.free_memory()
    assert log.watermark.place() == (100, [(101, 104), (106, 109)])
    assert log.watermark.ahead() == 10
