"""TRANSACTION = "checkpoint" over several shards: a takeover or a rewind of one of them."""

from threading import Thread

import pytest
from django.db import connection

from streamapp.positions import Earliest
from tests.contract.moving.places import places
from tests.contract.moving.test_exactly_once import Effects, concurrent, exact


@pytest.fixture
def effects(stage):
    return Effects(stage)


def elsewhere(action):
    """Do as another process does, which doesn't belong to the handler's transaction."""

    def run():
        try:
            action()
        finally:
            connection.close()

    thread = Thread(target=run)
    thread.start()
    thread.join()


@concurrent
def test_a_batch_of_which_one_shard_was_taken_is_undone_whole_and_the_others_records_come_again(
    stage, effects
):
    worker = exact(stage, effects, kind="batch", writing=[])
    lost = stage.rows().filter(shard=stage.log.shard_id(1))
    undone = []

    def take_over():
        new = stage.store.workers.register([stage.name], 1000.0)
        stage.store.leases.take(new, [lost.get().pk])

    def handle(values, ctx):
        worker.calls.values.extend(values)
        for value in values:
            effects.write(ctx, value)
        if not undone and {value[0] for value in values} == {"0", "1"}:
            undone.extend(values)
            elsewhere(take_over)

    worker.consumer.lanes.handling._call = handle
    read_both_at_once(stage, undone)
    stage.run(until=lambda: stage.stored()["0"] == stage.log.end(stage.topic, 0))
    assert worker.shards == ["0"]
    assert [worker.handled.count(value) for value in undone] == [
        2 if value[0] == "0" else 1 for value in undone
    ]
    assert effects.of(0) == places(0, range(stage.stored()["0"]))
    assert effects.of(1) == places(1, range(stage.stored()["1"]))


def read_both_at_once(stage, undone):
    """Write into both shards until one poll brings records of both; Kinesis reads each by itself."""
    stage.run(until=lambda: undone or stage.stored() == {"0": 10, "1": 10})
    for number in range(11, 100):
        if undone:
            return
        for partition in (0, 1):
            stage.log.fill(stage.topic, 1, partition)
        stage.run(until=lambda number=number: undone or stage.stored() == {"0": number, "1": number})
    raise AssertionError("no poll brought records of both shards")


@pytest.mark.parametrize("kind", ["record", "batch"])
def test_a_rewind_of_another_shard_settles_the_record_that_asked_for_it(stage, effects, kind):
    worker = asking(stage, effects, ["1@5"], kind=kind)
    stage.run(until=lambda: worker.of(1) == places(1, range(5, 10)))
    stage.run()
    assert worker.of(0) == ["0@10"]
    assert stage.stored() == {"0": 11, "1": 10}
    worker = stage.restart(worker, transaction="checkpoint", kind=kind)
    stage.run()
    assert (worker.handled, effects.all()) == ([], ["0@10"])


def test_several_rewinds_of_one_call_are_one_transaction(stage, effects):
    worker = asking(stage, effects, ["0@8", "1@5"])
    stage.run(until=lambda: len(worker.handled) == 1 + 3 + 5)
    stage.run()
    assert worker.of(0) == ["0@10", "0@8", "0@9", "0@10"]
    assert worker.of(1) == places(1, range(5, 10))
    assert stage.stored() == {"0": 11, "1": 10}
    assert effects.all() == ["0@10"]


@concurrent
def test_a_worker_that_was_fenced_while_its_handler_ran_rewinds_nothing(stage, effects):
    """The rewind would raise the epoch of the new owner, who has done no wrong."""
    worker = exact(stage, effects, writing=[])
    row = stage.rows().filter(shard=stage.log.shard_id(0))
    taken = []

    def take_over():
        new = stage.store.workers.register([stage.name], 1000.0)
        taken.extend(stage.store.leases.take(new, [row.get().pk]))

    def rewind(ctx):
        effects.write(ctx)
        elsewhere(take_over)
        ctx.rewind(Earliest())

    worker.when("0@5", rewind)
    stage.run(until=lambda: taken and worker.shards != ["0", "1"])
    assert (stage.stored()["0"], row.get().epoch) == (5, taken[0].epoch)
    assert effects.all() == []


def asking(stage, effects, positions, **options):
    """Start a worker that has read everything and asks for rewinds with the next record."""
    worker = exact(stage, effects, writing=[], **options)
    stage.run()
    worker.forget()

    def rewind(ctx):
        effects.write(ctx, "0@10")
        for position in positions:
            ctx.rewind(stage.position(position))

    worker.when("0@10", rewind)
    stage.log.fill(stage.topic, 1)
    return worker
