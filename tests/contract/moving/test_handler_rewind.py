"""ctx.rewind: a handler moves the whole subscription, durably, in its own transaction."""

import pytest
from django.contrib.auth.models import Group

from streamapp import Outcome
from streamapp.models import Rewind
from tests.contract.moving.logs import new_name
from tests.contract.moving.places import places
from tests.contract.moving.stage import AT_ONCE

KINDS = ["record", "batch", "async_record", "async_batch"]


def rewinding(stage, kind, position="earliest"):
    if kind.startswith("async"):
        return lambda ctx: ctx.arewind(stage.position(position))
    return lambda ctx: ctx.rewind(stage.position(position))


def ready(stage, workers=1, **options):
    """Workers that have handled and saved everything."""
    ready = [stage.start(start_at="earliest", **options) for _ in range(workers)]
    stage.run()
    stage.save()
    for worker in ready:
        worker.forget()
    return ready


def rewinds(stage):
    return Rewind.objects.filter(subscription__name=stage.name)


@pytest.mark.parametrize("kind", KINDS)
def test_it_moves_every_partition_on_every_worker_with_a_stamped_audit_row(log, stage, kind):
    one, other = ready(stage, workers=2, kind=kind)
    [mine], [theirs] = one.shards, other.shards
    one.when(f"{mine}@10", rewinding(stage, kind))
    log.fill(stage.topic, 1, partition=int(mine))
    stage.run(until=lambda: one.handled)
    stage.save()
    stage.run()
    stage.save()
    assert one.handled == [f"{mine}@10", *places(mine, range(11))]
    assert other.handled == places(theirs, range(10))
    [row] = rewinds(stage)
    assert (row.origin, row.target) == ("handler", "earliest")
    stamps = row.shards.values_list("checkpoint__shard", "applied_by")
    assert {log.number(shard): worker for shard, worker in stamps} == {
        mine: one.heartbeat.identity,
        theirs: other.heartbeat.identity,
    }


def test_it_reaches_a_partition_of_another_worker(log, stage):
    one, other = ready(stage, workers=2)
    [mine], [theirs] = one.shards, other.shards
    one.when(f"{mine}@10", rewinding(stage, "record", f"{theirs}@4"))
    log.fill(stage.topic, 1, partition=int(mine))
    stage.run()
    stage.save()
    stage.run()
    assert (one.handled, other.handled) == (places(mine, [10]), places(theirs, range(4, 10)))


@pytest.mark.parametrize("kind", KINDS)
def test_the_outcome_of_the_record_that_asked_settles_nothing(log, stage, kind):
    [worker] = ready(stage, kind=kind)
    worker.when("0@10", rewinding(stage, kind, "0@10"))
    worker.when("0@10", lambda ctx: Outcome.hold("asked again"))
    log.fill(stage.topic, 1)
    stage.run(until=lambda: worker.handled)
    stage.save()
    assert stage.stored()["0"] == 10
    stage.run()
    stage.save()
    assert worker.handled == ["0@10", "0@10"]
    assert (stage.stored()["0"], stage.held()) == (10, [("0", 10)])


@pytest.mark.parametrize("kind", ["record", "async_record"])
def test_the_rest_of_what_was_fetched_is_not_handled_before_reading_has_moved(log, stage, kind):
    [worker] = ready(stage, kind=kind)
    worker.when("0@11", rewinding(stage, kind, "0@10"))
    log.fill(stage.topic, 4)
    stage.run()
    assert worker.handled == places(0, [10, 11, 10, 11, 12, 13])


def test_a_crash_right_after_it_starts_at_the_new_position(log, stage):
    [worker] = ready(stage)
    worker.when("0@10", rewinding(stage, "record", "0@7"))
    log.fill(stage.topic, 1)
    stage.run(until=lambda: worker.handled)
    worker = stage.restart(worker)
    stage.run()
    assert worker.handled == places(0, range(7, 11))


def rewind_and_write(stage, position, group, end):
    def handle(ctx):
        Group.objects.create(name=group)
        ctx.rewind(stage.position(position))
        return end()

    async def ahandle(ctx):
        await Group.objects.acreate(name=group)
        await ctx.arewind(stage.position(position))
        return end()

    return {"record": handle, "batch": handle, "async_batch": ahandle}


def fail():
    raise ValueError("after the rewind")


@pytest.mark.parametrize("kind", ["record", "batch", "async_batch"])
@pytest.mark.parametrize("end", [fail, Outcome.retry])
def test_it_is_rolled_back_with_the_handler_and_the_record_comes_again(log, stage, kind, end):
    [worker] = ready(stage, kind=kind, retry=AT_ONCE)
    group = new_name()
    worker.when("0@10", rewind_and_write(stage, "earliest", group, end)[kind])
    log.fill(stage.topic, 1)
    stage.run()
    stage.save()
    stage.run()
    assert worker.handled == ["0@10", "0@10"]
    assert stage.stored() == {"0": 11, "1": 10}
    assert (rewinds(stage).count(), Group.objects.filter(name=group).count()) == (0, 0)


@pytest.mark.parametrize("kind", ["record", "batch", "async_batch"])
def test_it_is_committed_with_what_the_handler_wrote(log, stage, kind):
    [worker] = ready(stage, kind=kind)
    group = new_name()
    worker.when("0@10", rewind_and_write(stage, "0@10", group, Outcome.ack)[kind])
    log.fill(stage.topic, 1)
    stage.run()
    assert worker.handled == ["0@10", "0@10"]
    assert (rewinds(stage).count(), Group.objects.filter(name=group).count()) == (1, 1)


def test_a_position_that_names_nothing_is_the_handlers_failure(log, stage):
    [worker] = ready(stage)
    worker.when("0@10", rewinding(stage, "record", "7@0"))
    log.fill(stage.topic, 1)
    stage.run()
    stage.save()
    assert (stage.held(), rewinds(stage).count()) == ([("0", 10)], 0)
