"""What a stream of a thousand shards costs that many subscriptions of a process look for."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from botocore.exceptions import ClientError

from streamapp.brokers.kinesis.moments import Moments
from streamapp.brokers.kinesis.queries import Queries
from streamapp.exceptions import BrokerUnavailable

SHARDS, PAGE = 1500, 1000


class Service:
    """Answers as Kinesis does, in pages of a thousand shards, and counts."""

    def __init__(self) -> None:
        self.listings = self.pages = 0
        self.status = "ACTIVE"
        self.busy = False

    def asking(self):
        return self

    def list_shards(self, StreamName=None, NextToken=None):
        if self.busy:
            raise ClientError({"Error": {"Code": "ResourceInUseException"}}, "ListShards")
        self.listings += StreamName is not None
        self.pages += 1
        first = int(NextToken or 0)
        numbers = range(first, min(first + PAGE, SHARDS))
        shards = [{"ShardId": f"shardId-{n:012}", "SequenceNumberRange": {}} for n in numbers]
        more = {"NextToken": str(first + PAGE)} if first + PAGE < SHARDS else {}
        return {"Shards": shards, **more}

    def describe_stream_summary(self, StreamName):
        created = datetime(2026, 11, 1, tzinfo=UTC)
        return {"StreamDescriptionSummary": {"StreamStatus": self.status, "StreamCreationTimestamp": created}}


@pytest.fixture
def service():
    return Service()


@pytest.fixture
def now():
    return [100.0]


@pytest.fixture
def queries(service, now):
    return Queries(service, Moments(lambda: datetime.now(UTC)), clock=lambda: now[0])


def test_all_pages_are_read(queries, service):
    assert len(queries.listed("orders")) == SHARDS
    assert (service.listings, service.pages) == (1, 2)


def test_a_hundred_subscriptions_that_look_at_once_cost_one_listing_an_interval(queries, service, now):
    for interval in range(1, 4):
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _: queries.recent("orders", 3.0), range(100)))
        assert [len(answer) for answer in answers] == [SHARDS] * 100
        assert service.listings == interval
        now[0] += 3.0


def test_who_must_know_at_once_asks(queries, service):
    queries.recent("orders", 3.0)
    queries.recent("orders", 0.0)
    assert service.listings == 2


@pytest.mark.parametrize("status", ["CREATING", "DELETING"])
def test_a_stream_that_is_being_made_or_deleted_has_no_shards(queries, service, status):
    service.busy, service.status = True, status
    assert queries.listed("orders") == []


def test_a_stream_that_is_being_changed_has_not_lost_its_shards(queries, service):
    service.busy, service.status = True, "UPDATING"
    with pytest.raises(BrokerUnavailable, match="which shards orders has"):
        queries.listed("orders")
