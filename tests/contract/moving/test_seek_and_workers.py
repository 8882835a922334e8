"""A seek is one worker's own, and not durable before the next save."""

from streamapp import KafkaPosition, Outcome
from streamapp.store import Store
from streamapp.store.checkpoints import CheckpointStore
from tests.contract.moving.places import places


def seek_to_the_start(ctx):
    ctx.seek(KafkaPosition.earliest())


def two_workers(stage):
    pair = stage.start(start_at="earliest"), stage.start(start_at="earliest")
    stage.run()
    stage.save()
    for worker in pair:
        worker.forget()
    return pair


def seek(log, stage, worker):
    """Let a worker seek in one of its shards, which are then about to be read from the start."""
    shard = worker.shards[0]
    value = f"{shard}@{log.end(stage.topic, int(shard))}"
    worker.when(value, seek_to_the_start)
    log.fill(stage.topic, 1, partition=int(shard))
    stage.run(until=lambda: value in worker.handled)
    return shard


def test_it_moves_the_shards_of_this_worker_only(log, stage):
    one, other = two_workers(stage)
    shard = seek(log, stage, one)
    stage.run()
    stage.save()
    assert one.handled == [f"{shard}@10", *places(shard, range(11))]
    assert other.handled == []


def test_a_takeover_before_the_next_save_undoes_it(log, stage):
    one, other = two_workers(stage)
    shard = seek(log, stage, one)
    stage.run()
    stage.crash(one)
    stage.run()
    assert other.handled == places(shard, [10])


def test_a_rebalance_before_the_next_save_undoes_it(log, stage):
    one = stage.start(start_at="earliest")
    stage.run()
    stage.save()
    seek(log, stage, one)
    for partition in "01":
        one.when(f"{partition}@4", lambda ctx: Outcome.hold("read again so far"))
    stage.run()
    other = stage.start()
    stage.run()
    [moved] = other.shards
    assert other.handled == places(moved, range(10, log.end(stage.topic, int(moved))))


def test_after_the_next_save_it_is_where_the_next_owner_goes_on(log, stage):
    one, other = two_workers(stage)
    shard = seek(log, stage, one)
    one.when(f"{shard}@4", lambda ctx: one.consumer.gate.interrupt())
    stage.run(until=lambda: f"{shard}@4" in one.handled)
    stage.save()
    stage.crash(one)
    stage.run()
    assert other.handled == places(shard, range(5, 11))


def test_a_save_that_was_on_its_way_does_not_keep_the_checkpoint_in_front(log, stage):
    """The row already has the new position while the worker, which hasn't heard so, seeks back."""
    stage.store = DelayedStore("default")
    worker = stage.start(start_at="latest")
    stage.run()
    worker.when("0@11", lambda ctx: ctx.seek(stage.position("0@10")))
    worker.when("0@10", lambda ctx: None, lambda ctx: Outcome.hold("looked at again"))
    log.fill(stage.topic, 1)
    stage.run()
    stage.store.checkpoints.meanwhile = lambda: (log.fill(stage.topic, 1), stage.run())
    stage.save()
    stage.save()
    assert worker.handled == places(0, [10, 11, 10, 11])
    assert (stage.stored()["0"], stage.held()) == (10, [("0", 10)])


class DelayedStore(Store):
    """Lets something happen between a save and its reply."""

    def __init__(self, using):
        super().__init__(using)
        self.checkpoints = DelayedCheckpoints(using)


class DelayedCheckpoints(CheckpointStore):
    meanwhile = None

    def save(self, saves):
        saved = super().save(saves)
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile:
            meanwhile()
        return saved
