"""Where a subscription starts whose stream was resharded before."""

import pytest

pytestmark = [pytest.mark.live("kinesis"), pytest.mark.timeout(180)]


def test_from_a_record_of_a_closed_shard_on_its_children_are_read_from_their_first_records(stage):
    (parent,) = stage.shards()
    stage.publish(3)
    chosen = stage.broker.publish(stage.source.stream, b"0:chosen", key=b"0").position
    stage.published[:] = ["0:chosen", *stage.publish(5)]
    stage.split(parent)
    stage.publish(20)
    stage.start(start_at=f"{parent.id}@{stage.broker.describe(chosen)}")
    stage.run_through()
    assert sorted(stage.journal.values) == sorted(stage.published)
