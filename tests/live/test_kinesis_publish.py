"""Publishing to Kinesis: on kinesis-local, and by scripted answers for what it never refuses."""

import boto3
import pytest
from botocore.stub import ANY, Stubber

from streamapp.brokers.kinesis.publisher import Outgoing, Publisher
from streamapp.exceptions import BrokerUnavailable, PublishFailed
from tests.live.kinesis_service import Service

live = pytest.mark.live("kinesis")


@pytest.fixture
def service():
    service = Service("KINESIS_ENDPOINT_URL")
    yield service
    service.close()


class Scripted:
    """Clients of which one answers by a script."""

    def __init__(self) -> None:
        credentials = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
        self.client = boto3.client("kinesis", "us-east-1", endpoint_url="http://127.0.0.1:9", **credentials)
        self.stub = Stubber(self.client)

    def asking(self):
        return self.client

    def answers(self, *results: str) -> None:
        """Answer a batch: a sequence number for what is stored, a name for what is refused."""
        records = [
            {"ShardId": "shard", "SequenceNumber": result} if result.isdecimal() else {"ErrorCode": result}
            for result in results
        ]
        asked = {"StreamName": "orders", "Records": [ANY] * len(results)}
        self.stub.add_response("put_records", {"Records": records}, asked)


@pytest.fixture
def scripted():
    scripted = Scripted()
    with scripted.stub:
        yield scripted
        scripted.stub.assert_no_pending_responses()


def outgoing(count: int) -> list[Outgoing]:
    return [Outgoing(str(number).encode(), b"key") for number in range(count)]


@live
def test_a_hash_key_names_the_shard_by_its_range(service):
    source = service.stream(shards=2)
    first, second = service.broker.shards(source)
    places = [
        service.broker.publish(source.stream, b"", key=b"same", hash_key=key) for key in (0, 2**128 - 1)
    ]

    assert [place.shard for place in places] == [first, second]


@live
def test_records_without_a_key_are_spread(service):
    source = service.stream(shards=2)
    places = [service.broker.publish(source.stream, b"") for _ in range(40)]

    assert {place.shard for place in places} == set(service.broker.shards(source))


@live
def test_many_records_are_stored_in_order_and_confirmed_one_by_one(service):
    source = service.stream()
    (shard,) = service.broker.shards(source)
    places = service.broker.publish_many(source.stream, [(b"key", str(n).encode()) for n in range(600)])
    reading = service.reading(source)
    reading.reader.open({shard: 0})

    assert reading.values(600) == [str(n).encode() for n in range(600)]
    assert [place.position for place in places] == sorted(place.position for place in places)


@live
def test_a_stream_that_is_not_there_refuses_records(service):
    with pytest.raises(PublishFailed, match="nowhere"):
        service.broker.publish("nowhere", b"")


@pytest.mark.parametrize("key", [b"", b"\xff", b"x" * 257])
def test_a_key_that_is_no_partition_key_is_refused_before_anything_is_sent(scripted, key):
    with pytest.raises(PublishFailed, match="key"):
        Publisher(scripted).publish("orders", Outgoing(b"", key))


def test_only_what_was_refused_is_sent_again_and_every_place_is_right(scripted):
    waits: list[float] = []
    scripted.answers("1", "ProvisionedThroughputExceededException", "3", "InternalFailure")
    scripted.answers("ProvisionedThroughputExceededException", "6")
    scripted.answers("7")

    places = Publisher(scripted, waits.append).publish_many("orders", outgoing(4))

    assert [sequence for _, sequence in places] == ["1", "7", "3", "6"]
    assert 0 < waits[0] < waits[1]


def test_what_is_refused_again_and_again_fails_with_the_reason(scripted):
    scripted.answers("1", "ProvisionedThroughputExceededException")
    for _ in range(5):
        scripted.answers("ProvisionedThroughputExceededException")

    with pytest.raises(PublishFailed, match=r"1 of 2 records for orders: ProvisionedThroughputExceeded"):
        Publisher(scripted, lambda seconds: None).publish_many("orders", outgoing(2))


def test_a_record_that_is_throttled_was_not_published(scripted):
    scripted.stub.add_client_error("put_record", "ProvisionedThroughputExceededException")
    with pytest.raises(PublishFailed, match="ProvisionedThroughputExceeded"):
        Publisher(scripted).publish("orders", Outgoing(b""))


def test_a_service_that_cannot_be_reached_has_stored_nothing(scripted):
    scripted.stub.deactivate()
    with pytest.raises(BrokerUnavailable, match="Publish again"):
        Publisher(scripted).publish("orders", Outgoing(b""))
