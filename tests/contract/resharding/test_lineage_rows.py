"""What rows say of lineage, and what becomes of rows whose shards have left the stream."""

import logging

import pytest

from streamapp import Outcome
from streamapp.positions import SHARD_END
from tests.contract.resharding.brokers import ForgetfulBroker, RetainingBroker

pytestmark = [pytest.mark.live("kinesis"), pytest.mark.timeout(180)]
RETIRED = "The stream has this shard no more, its checkpoint is retired."


@pytest.fixture
def retaining():
    broker = RetainingBroker()
    yield broker
    broker.close()


@pytest.fixture
def forgetful():
    broker = ForgetfulBroker()
    yield broker
    broker.close()


def warnings(caplog):
    return [record.getMessage() for record in caplog.records if RETIRED in record.getMessage()]


def test_rows_name_their_parents_whether_the_shards_were_there_at_the_start_or_came_later(stage):
    (root,) = stage.shards()
    one, other = stage.split(root)
    stage.start()
    stage.run(lambda: stage.holders() == [2], "the children of the first split are held")
    merged = stage.merge(one, other)
    stage.run(lambda: stage.holders() == [1] and stage.has_ended(one, other), "the merged shard is held")
    parents = {shard: set(row.parents) for shard, row in stage.rows().items()}
    assert parents == {root.id: set(), one.id: {root.id}, other.id: {root.id}, merged.id: {one.id, other.id}}


def test_parents_that_are_found_later_complete_the_row_and_raise_its_revision(stages, forgetful):
    stage = stages(broker=forgetful)
    (root,) = stage.shards()
    children = stage.split(root)
    stage.start()
    stage.run(lambda: len(stage.rows()) == 3, "there are rows")
    assert all(row.parents == [] for row in stage.rows().values())
    forgetful.forgets = False
    stage.run(lambda: stage.row(children[0]).parents == [root.id], "the parent is named")
    assert stage.row(children[1]).parents == [root.id]
    assert (stage.row(children[0]).revision, stage.row(root).revision) == (1, 0)


def test_a_finished_shard_that_its_stream_no_longer_lists_is_retired_with_one_warning(
    stages, retaining, caplog
):
    stage = stages(broker=retaining)
    (root,) = stage.shards()
    stage.split(root)
    for _ in range(3):
        stage.start()
    stage.run(lambda: stage.has_ended(root), "the parent says that it has ended")
    retaining.expired.add(root)
    with caplog.at_level(logging.WARNING, "streamapp.discovery"):
        stage.run(lambda: stage.row(root).retired_at, "the row is retired")
        for _ in range(5):
            stage.step()
    assert len(warnings(caplog)) == 1
    assert "finished=True" in warnings(caplog)[0]
    assert stage.row(root).position == SHARD_END


def test_a_parent_that_left_before_it_was_finished_holds_its_children_no_longer(stages, retaining, caplog):
    stage = stages(broker=retaining)
    (root,) = stage.shards()
    first = stage.publish(5)
    worker = stage.start()
    worker.when(first[1], lambda ctx: Outcome.hold("unknown carrier"))
    stage.run(lambda: stage.held() == [root.id], "a record is held")
    stage.split(root)
    later = stage.publish(10)
    stage.step()
    assert stage.journal.values == first
    retaining.expired.add(root)
    with caplog.at_level(logging.WARNING, "streamapp.discovery"):
        stage.run(lambda: set(later) <= set(stage.journal.values), "the children are read")
    assert "finished=False" in warnings(caplog)[0]
    assert root.id not in worker.shards
    assert stage.row(root).retired_at is not None


def test_a_shard_that_is_listed_again_is_retired_no_longer(stages, retaining):
    stage = stages(shards=2, broker=retaining)
    stage.start()
    stage.run(lambda: stage.holders() == [2], "both shards are held")
    gone = stage.shards()[1]
    retaining.expired.add(gone)
    stage.run(lambda: stage.row(gone).retired_at, "the row is retired")
    assert stage.holders() == [1]
    retaining.expired.clear()
    stage.publish(20)
    stage.run_through()
    assert stage.row(gone).retired_at is None
    assert stage.journal.repeated() == []
