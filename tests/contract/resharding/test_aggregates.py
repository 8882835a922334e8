"""An aggregate that was packed by an old map of the shards arrives whole in one child of a split."""

import hashlib

import pytest

from tests.unit.test_kinesis_aggregates import aggregate

pytestmark = [pytest.mark.live("kinesis"), pytest.mark.timeout(180)]


def test_its_records_that_belong_to_the_other_child_are_delivered_all_the_same(stage):
    (parent,) = stage.shards()
    children = stage.split(parent)
    values = [f"0:{number}" for number in range(20)]
    homes = {hashlib.md5(f"key of {value}".encode()).digest()[0] >= 128 for value in values}
    assert homes == {False, True}, "the keys belong to both children"
    data = aggregate(*(value.encode() for value in values))
    stage.service.client.put_record(StreamName=stage.source.stream, Data=data, PartitionKey="any")
    stage.start()
    stage.published += values
    stage.run_through()
    assert stage.journal.values == values
    assert len({call.shard for call in stage.journal.calls}) == 1
    assert stage.journal.shards[0] in {child.id for child in children}
