"""A rewind closes over lineage: parents are read again first, and all that came of them after it."""

import pytest

from streamapp import Outcome
from streamapp.exceptions import StalePlan
from streamapp.positions import SHARD_END, Earliest, Latest
from streamapp.services import rewind as service
from streamapp.services.flags import Flag
from streamapp.services.targets import BeforeRewind

pytestmark = [pytest.mark.live("kinesis"), pytest.mark.timeout(180)]
WORKERS = pytest.mark.parametrize("workers", [1, 3])


def plan(stage, target, shards=None):
    return service.plan(stage.name, target, shards, broker=stage.broker, source=stage.source)


def flags(planned):
    return {line.shard.partition("/")[2]: set(line.flags) - {Flag.UNREAD} for line in planned.lines}


def rewind(stage, target, shards=None):
    return service.apply(plan(stage, target, shards), origin="test")


def positions(stage):
    return {shard: row.position for shard, row in stage.rows().items()}


@pytest.fixture
def family(stage):
    """A shard that was split, whose children were merged; all of it is published and nothing read."""
    (stage.root,) = stage.shards()
    stage.publish(20)
    stage.one, stage.other = stage.split(stage.root)
    stage.publish(20)
    stage.merged = stage.merge(stage.one, stage.other)
    stage.publish(20)
    stage.closed = (stage.root, stage.one, stage.other)
    return stage


def read(family, workers=1):
    for _ in range(workers):
        family.start()
    family.run_through()
    family.run(lambda: family.has_ended(*family.closed), "the closed shards say that they have ended")
    family.save()


def check_all_comes_again(family):
    """Run until everything was handled once more, and check that no child came before its parents."""
    del family.journal.calls[:]
    family.run_through()
    assert family.journal.repeated() == []
    assert family.journal.is_in_order()
    assert all(family.journal.is_after(child, family.root) for child in (family.one, family.other))
    assert all(family.journal.is_after(family.merged, parent) for parent in (family.one, family.other))


@WORKERS
def test_a_rewind_of_the_first_shard_alone_brings_all_its_descendants_again_behind_it(family, workers):
    read(family, workers)
    planned = plan(family, Earliest(), [family.root])
    assert flags(planned) == {
        family.root.id: {Flag.REOPENED},
        family.one.id: {Flag.REOPENED, Flag.GATED},
        family.other.id: {Flag.REOPENED, Flag.GATED},
        family.merged.id: {Flag.GATED},
    }
    service.apply(planned, origin="test")
    assert positions(family) == {line.shard.partition("/")[2]: line.new for line in planned.lines}
    check_all_comes_again(family)


def test_a_rewind_of_one_parent_leaves_the_other_finished(family):
    read(family)
    planned = plan(family, Earliest(), [family.one])
    assert flags(planned) == {
        family.one.id: {Flag.REOPENED, Flag.ALONE},
        family.merged.id: {Flag.GATED},
    }
    service.apply(planned, origin="test")
    del family.journal.calls[:]
    family.run(lambda: len(family.journal.of(family.merged)) == 20, "the merged shard comes again")
    assert family.journal.is_after(family.merged, family.one)
    assert set(family.journal.shards) == {family.one.id, family.merged.id}
    assert family.has_ended(family.root, family.other)


def test_a_rewind_of_a_child_alone_says_that_its_parents_stay_finished(family):
    read(family)
    assert flags(plan(family, Earliest(), [family.merged])) == {family.merged.id: {Flag.ALONE}}
    together = flags(plan(family, Earliest(), [family.one, family.other, family.merged]))
    assert Flag.ALONE not in together[family.merged.id]
    assert Flag.ALONE not in flags(plan(family, Latest(), [family.merged]))[family.merged.id]


def test_a_rewind_to_the_tip_opens_no_finished_shard(family):
    read(family)
    planned = plan(family, Latest())
    assert flags(planned)[family.root.id] == {Flag.UNCHANGED}
    service.apply(planned, origin="test")
    assert family.has_ended(*family.closed)


def test_a_child_is_read_no_further_once_its_parent_is_reopened_though_its_worker_takes_it_late(family):
    worker = family.start()
    family.run(lambda: family.has_ended(*family.closed), "the closed shards say that they have ended")
    family.crash(worker)
    rewind(family, Earliest(), [family.root])
    family.start()
    check_all_comes_again(family)


@pytest.mark.parametrize("moment", ["before the rewind was seen", "in the middle", "when all was read again"])
def test_an_undo_brings_back_what_was_finished_and_the_places_of_the_others(family, moment):
    read(family)
    before = positions(family)
    row = rewind(family, Earliest(), [family.root])
    if moment != "before the rewind was seen":
        del family.journal.calls[:]
        half = moment == "in the middle"
        family.run(lambda: len(family.journal.values) >= (25 if half else 60), "some of it is read again")
        family.save()
    rewind(family, BeforeRewind(row.pk))
    assert positions(family) == before
    del family.journal.calls[:]
    fresh = set(family.publish(10))
    family.run(lambda: fresh <= set(family.journal.values), "what is new")
    family.save()
    assert set(family.journal.values) == fresh
    assert family.has_ended(*family.closed)


def test_an_undo_says_where_the_worker_has_read_on_and_what_is_finished_again(family):
    read(family)
    row = rewind(family, Earliest(), [family.root])
    del family.journal.calls[:]
    family.run(lambda: family.has_ended(family.root), "the first shard is read again")
    family.save()
    found = flags(plan(family, BeforeRewind(row.pk)))
    assert Flag.MOVED_ON in found[family.root.id]
    assert Flag.FINISHED in found[family.one.id] and Flag.GATED not in found[family.merged.id]


def test_a_split_between_review_and_apply_makes_the_plan_stale(stage):
    (root,) = stage.shards()
    stage.start()
    stage.publish(10)
    stage.run_through()
    planned = plan(stage, Earliest())
    children = stage.split(root)
    stage.run(lambda: stage.has_ended(root) and len(stage.rows()) == 3, "the children have rows")
    with pytest.raises(StalePlan, match="was made"):
        service.apply(planned, origin="test")
    assert stage.row(root).position == SHARD_END
    assert {stage.row(child).revision for child in children} == {0}


def test_a_child_that_was_taken_just_before_its_parent_was_reopened_is_not_read(family, monkeypatch):
    """The rows are looked at, then comes the rewind, then the child is taken."""
    read(family)
    family.crash(family.workers[0])
    worker = family.start(interval=3600)
    take_free = worker.consumer._assigning._sharing._spread._store.leases.take_free
    done = []

    def rewound_before(*arguments):
        if not done:
            done.append(rewind(family, Earliest(), [family.root]))
        return take_free(*arguments)

    monkeypatch.setattr(family.store.leases, "take_free", rewound_before)
    check_all_comes_again(family)
    assert done


def test_a_held_record_of_a_reopened_shard_gates_the_descendants_again(family):
    read(family)
    first = family.published[0]
    family.workers[0].when(first, lambda ctx: Outcome.hold("look at it"))
    rewind(family, Earliest(), [family.root])
    del family.journal.calls[:]
    family.run(lambda: family.held() == [family.root.id], "the record is held")
    for _ in range(5):
        family.step()
    assert family.journal.shards == [family.root.id]
