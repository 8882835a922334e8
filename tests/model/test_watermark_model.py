"""The watermark and its settled ranges against two sets: what was delivered, and what is settled."""

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from streamapp.engine.settled import read, written
from streamapp.engine.shard import Keeping, Placed, ShardState
from streamapp.records import Shard
from streamapp.store.checkpoints import Place
from streamapp.store.leases import Taken
from tests.unit.test_watermark import Numbers

SHARD = Shard("orders", "0")


class OneShard(RuleBasedStateMachine):
    """A shard that is read, settled in any order, rewound, and taken by a worker that knows the row only."""

    def __init__(self):
        super().__init__()
        self.log: list[int] = []
        self.end = 0
        self.settled: set[int] = set()
        self.row = Place(0)
        self.epoch = 1
        self.take()

    def take(self):
        taken = Taken(1, self.epoch, self.row)
        self.state = ShardState(SHARD, Placed(taken, self.row.position), Keeping(settled=True))
        self.state.restart()
        self.delivered: dict[int, tuple] = {}

    @rule(gaps=st.lists(st.integers(1, 4), min_size=1, max_size=8), behind=st.integers(0, 3))
    def append(self, gaps, behind):
        for gap in gaps:
            self.log.append(self.end + gap - 1)
            self.end += gap
        self.end += behind

    @precondition(lambda self: self.unread())
    @rule(data=st.data())
    def read(self, data):
        unread = self.unread()
        count = data.draw(st.integers(1, len(unread)))
        chunk = Numbers(*unread[:count])
        part = self.state.register(chunk)
        for index in part.indexes if part else ():
            self.delivered[chunk.position(index)] = (part, index)
        known = {chunk.position(i) for i in range(count)} - {*self.delivered}
        assert known <= self.settled, "what wasn't settled is delivered"

    @precondition(lambda self: self.open())
    @rule(data=st.data(), hold=st.booleans())
    def finish(self, data, hold):
        position = data.draw(st.sampled_from(self.open()))
        part, index = self.delivered[position]
        if hold:
            assert self.state.hold(part, index, "no")
            self.delivered.pop(position)
        else:
            part.span.settle(index)
            self.settled.add(position)

    @rule()
    def free_memory(self):
        self.state.watermark.free_memory()

    @rule()
    def save(self):
        if snapshot := self.state.snapshot():
            self.row = snapshot.place
            self.state.saved(snapshot)

    @rule()
    def crash(self):
        """What wasn't saved is forgotten; then another worker takes the shard."""
        stored = read(self.row.settled, self.row.position)
        self.settled = {p for p in self.settled if p < self.row.position or p in stored}
        self.epoch += 1
        self.take()

    @rule(data=st.data())
    def rewind(self, data):
        position = data.draw(st.integers(0, self.end))
        self.epoch += 1
        self.row = Place(position)
        self.settled = {p for p in self.settled if p < position} | {p for p in self.log if p < position}
        self.state.adopt(self.epoch, self.row)
        self.state.restart()
        self.delivered = {}

    def unread(self):
        return [position for position in self.log if position >= self.state.watermark.next]

    def open(self):
        return sorted(position for position in self.delivered if position not in self.settled)

    @invariant()
    def the_row_never_passes_an_unsettled_record(self):
        unsettled = [position for position in self.log if position not in self.settled]
        place = self.state.place()
        stored = read(place.settled, place.position)
        assert all(position >= place.position for position in unsettled)
        assert not any(position in stored for position in unsettled)

    @invariant()
    def all_that_is_settled_and_was_read_is_known(self):
        place = self.state.place()
        stored = read(place.settled, place.position)
        behind = {p for p in self.settled if place.position <= p < self.state.watermark.next}
        assert all(position in stored for position in behind)

    @invariant()
    def the_stored_form_can_be_read(self):
        place = self.state.place()
        assert written(read(place.settled, place.position), place.position) == place.settled


TestOneShard = OneShard.TestCase
TestOneShard.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
