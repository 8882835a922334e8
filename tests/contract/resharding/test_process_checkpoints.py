"""Reading that begins anew at every start follows the lineage too."""

import pytest

pytestmark = [pytest.mark.live("kinesis"), pytest.mark.timeout(180)]

KINDS = pytest.mark.parametrize("checkpoints", ["process", "database"])


@pytest.fixture
def split(stage):
    stage.parent = stage.shards()[0]
    stage.publish(10)
    stage.children = stage.split(stage.parent)
    stage.publish(20)
    return stage


@pytest.mark.parametrize("workers", [1, 3])
def test_the_children_of_closed_shards_are_read_without_stored_checkpoints(split, workers):
    for _ in range(workers):
        split.start(checkpoints="process")
    split.run_through()
    assert split.journal.repeated() == []
    assert all(split.journal.is_after(child, split.parent) for child in split.children)


@KINDS
def test_a_replay_reads_finished_shards_again_before_their_children(split, checkpoints):
    options = {"checkpoints": checkpoints, "replay_from": "earliest"}
    worker = split.start(**options)
    split.run_through()
    split.run(lambda: split.has_ended(split.parent), "the parent says that it has ended")
    split.crash(worker)
    del split.journal.calls[:]
    split.start(**options)
    split.run_through()
    assert split.journal.repeated() == []
    assert all(split.journal.is_after(child, split.parent) for child in split.children)


@KINDS
def test_a_worker_that_joins_brings_back_no_finished_shard(split, checkpoints):
    options = {"checkpoints": checkpoints, "replay_from": "earliest"}
    split.start(**options)
    split.run_through()
    split.run(lambda: split.has_ended(split.parent), "the parent says that it has ended")
    split.start(**options)
    split.run(lambda: split.holders() == [1, 1], "the children are shared")
    for _ in range(5):
        split.step()
    assert split.has_ended(split.parent)
    assert len(split.journal.of(split.parent)) == 10


def test_a_start_at_the_tip_leaves_closed_shards_alone(split):
    worker = split.start(checkpoints="process", start_at=None)
    split.run(lambda: len(worker.shards) == 2, "the children are held")
    split.published.clear()
    split.publish(10)
    split.run_through()
    assert sorted(split.journal.values) == sorted(split.published)
