"""Workers that are killed at the worst moment."""

import pytest

from streamapp.positions import SHARD_END

pytestmark = [pytest.mark.live("kinesis"), pytest.mark.timeout(180)]


def step_to_the_end(stage, worker, shard):
    """Run until a shard was handled to its end, without saving."""

    def is_at_its_end():
        state = worker.consumer.holdings.states.get(shard)
        return state is not None and state.watermark.lowest() == SHARD_END

    for _ in range(1000):
        if is_at_its_end():
            return
        worker.run_once()
    raise AssertionError("the shard never ended")


@pytest.fixture
def split(stage):
    """A closed shard of ten records with children of twenty, and a worker that has just read its end."""
    stage.parent = stage.shards()[0]
    stage.publish(10)
    stage.children = stage.split(stage.parent)
    stage.publish(20)
    step_to_the_end(stage, stage.start(), stage.parent)
    return stage


def test_killed_after_the_parents_end_was_stored_nothing_is_lost_or_repeated(split):
    split.save()
    split.crash(split.workers[0])
    assert list(split.rows()) == [split.parent.id, *(child.id for child in split.children)]
    assert split.has_ended(split.parent)
    split.start()
    split.run_through()
    assert split.journal.repeated() == []
    assert split.journal.is_in_order()


def test_killed_before_the_parents_end_was_stored_the_parent_comes_again_and_then_the_children(split):
    split.crash(split.workers[0])
    split.start()
    split.run_through()
    assert split.journal.repeated() == split.published[:10]
    assert all(split.journal.is_after(child, split.parent) for child in split.children)


def test_killed_before_the_children_were_found_they_are_opened_at_their_first_records(stage):
    (parent,) = stage.shards()
    worker = stage.start()
    stage.publish(10)
    stage.run_through()
    children = stage.split(parent)
    stage.publish(20)
    stage.crash(worker)
    assert list(stage.rows()) == [parent.id]
    stage.start()
    stage.run_through()
    assert stage.journal.repeated() == []
    assert all(stage.journal.is_after(child, parent) for child in children)


@pytest.mark.parametrize("start_at", ["latest", None])
def test_killed_between_opening_at_the_tip_and_the_first_checkpoint_nothing_is_lost(stage, start_at):
    stage.publish(10)
    stage.published.clear()
    worker = stage.start(start_at=start_at)
    while not worker.shards:
        worker.run_once()
    stage.publish(10)
    stage.crash(worker)
    stage.publish(10)
    stage.start(start_at=start_at)
    stage.run_through()
    assert stage.journal.values == stage.published


def test_killed_after_the_first_deliveries_from_the_tip_and_before_the_first_checkpoint(stage):
    worker = stage.start(start_at="latest")
    while not worker.shards:
        worker.run_once()
    stage.publish(10)
    while len(stage.journal.calls) < 10:
        worker.run_once()
    stage.crash(worker)
    stage.publish(10)
    stage.start(start_at="latest")
    stage.run_through()
    assert stage.journal.values[10:] == stage.published


def test_killed_at_the_tip_while_the_shard_is_split_nothing_is_lost(stage):
    (parent,) = stage.shards()
    worker = stage.start(start_at="latest")
    while not worker.shards:
        worker.run_once()
    stage.publish(10)
    children = stage.split(parent)
    stage.publish(10)
    stage.crash(worker)
    stage.start(start_at="latest")
    stage.run_through()
    assert stage.journal.repeated() == []
    assert all(stage.journal.is_after(child, parent) for child in children)
