"""A look at Kinesis: aggregates, closed shards, and what it costs."""

import pytest

from streamapp.brokers.looking import Limits, Stop
from streamapp.positions import SHARD_END
from tests.live.kinesis_service import Service
from tests.unit.test_kinesis_aggregates import aggregate

pytestmark = pytest.mark.live("kinesis")
MANY = Limits(records=50, size=1024 * 1024, seconds=20)


@pytest.fixture
def service():
    service = Service("KINESIS_ENDPOINT_URL")
    yield service
    service.close()


def values(peeked):
    return [record.value for record in peeked.records]


def test_an_aggregate_is_taken_apart_and_can_be_entered_and_left_anywhere(service):
    source = service.stream()
    (shard,) = service.broker.shards(source)
    data = aggregate(b"0", b"1", b"2", b"3")
    service.client.put_record(StreamName=source.stream, Data=data, PartitionKey="any")
    service.broker.publish(source.stream, b"behind")

    whole = service.broker.peek(shard, 0, MANY)
    assert values(whole) == [b"0", b"1", b"2", b"3", b"behind"]
    assert [record.key for record in whole.records[:2]] == [b"key of 0", b"key of 1"]

    inside = service.broker.peek(shard, whole.records[2].position, Limits(1, 1024, 20))
    assert (values(inside), inside.stop, inside.begin) == ([b"2"], Stop.RECORDS, whole.records[2].position)
    assert values(service.broker.peek(shard, inside.next, MANY)) == [b"3", b"behind"]


def test_a_closed_shard_is_shown_to_its_end_and_nothing_comes_behind_it(service):
    source = service.stream()
    (parent,) = service.broker.shards(source)
    service.broker.publish(source.stream, b"last")
    service.split(parent)

    peeked = service.broker.peek(parent, 0, MANY)
    assert (values(peeked), peeked.next, peeked.stop) == ([b"last"], SHARD_END, Stop.END)
    behind = service.broker.peek(parent, peeked.next, MANY)
    assert (values(behind), behind.next, behind.reads) == ([], SHARD_END, 0)


def test_a_look_says_how_many_reads_of_the_shard_it_took(service):
    source = service.stream()
    (shard,) = service.broker.shards(source)
    service.broker.publish_many(source.stream, [(b"key", b"%d" % number) for number in range(30)])

    assert service.broker.peek(shard, 0, Limits(10, 1024 * 1024, 20)).reads == 1
