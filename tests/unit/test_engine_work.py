"""What waits to be handled: order within a shard, and how long there is nothing to do."""

from streamapp.brokers.local.chunk import LocalChunk
from streamapp.engine.shard import Placed, ShardState, Slice
from streamapp.engine.work import Backlog, Work, batches
from streamapp.records import Shard
from streamapp.store.checkpoints import Place
from streamapp.store.leases import Taken


def a_shard(number: int) -> ShardState:
    state = ShardState(Shard("orders", str(number)), Placed(Taken(number, 1, Place(0)), 0))
    state.restart()
    return state


def delivered(state: ShardState, records: int = 1) -> Slice:
    offset = state.watermark.next
    rows = [(number, None, b"", {}, 0) for number in range(offset, offset + records)]
    return state.register(LocalChunk(state.shard, rows))


def test_nothing_is_due_before_the_retry_that_the_rest_of_the_shard_waits_behind():
    backlog, state = Backlog(), a_shard(0)
    backlog.add(Work((delivered(state),), attempt=2, due=30.0))
    backlog.add(Work((delivered(state),)))
    assert backlog.next_due() == 30.0
    assert backlog.take(29.9) is None


def test_work_of_another_shard_is_due_at_once():
    backlog, one, other = Backlog(), a_shard(0), a_shard(1)
    backlog.add(Work((delivered(one),), attempt=2, due=30.0))
    backlog.add(later := Work((delivered(other),)))
    assert backlog.next_due() == 0.0
    assert backlog.take(0.0) is later


def test_of_a_batch_only_the_records_wait_whose_shard_has_a_retry_before_them():
    backlog, one, other = Backlog(), a_shard(0), a_shard(1)
    backlog.add(retried := Work((delivered(one),), attempt=2, due=30.0))
    backlog.add(batch := Work((delivered(one), delivered(other))))
    assert backlog.take(0.0) == Work(batch.slices[1:])
    assert backlog.take(0.0) is None
    assert backlog.take(30.0) is retried
    assert backlog.take(30.0) == Work(batch.slices[:1])


def test_batches_are_full_and_keep_the_order_of_their_shards():
    one, other = a_shard(0), a_shard(1)
    parts = [delivered(one, 5), delivered(other, 4)]
    cut = [[(part.state, list(part.indexes)) for part in work.slices] for work in batches(parts, 3)]
    assert cut == [[(one, [0, 1, 2])], [(one, [3, 4]), (other, [0])], [(other, [1, 2, 3])]]
    assert list(batches([], 3)) == []


def test_what_a_move_has_voided_is_not_waited_for():
    backlog, state = Backlog(), a_shard(0)
    backlog.add(Work((delivered(state),), attempt=2, due=30.0))
    state.move(0)
    assert backlog.take(0.0) is None
    assert backlog.next_due() is None
