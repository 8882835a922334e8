"""Reading a shard through everything that Kinesis answers, by a client whose answers are scripted."""

import itertools
import threading

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
)
from botocore.stub import ANY, Stubber

from streamapp.brokers.kinesis import packing
from streamapp.brokers.kinesis.failures import Reports
from streamapp.brokers.kinesis.feed import LONGEST_PAUSE, Feed, Means
from streamapp.brokers.kinesis.pacing import Paces
from streamapp.brokers.kinesis.queries import Listed
from streamapp.brokers.reading import Missing, OutOfRange
from streamapp.positions import SHARD_END
from streamapp.records import Shard
from tests.unit.test_kinesis_aggregates import aggregate, stored

SHARD = Shard("orders", "shardId-000000000000", "2026")


class Script:
    """What the service will be asked, in this order, and what it answers."""

    def __init__(self) -> None:
        credentials = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
        once = Config(retries={"total_max_attempts": 1}, connect_timeout=1, read_timeout=1)
        url = "http://127.0.0.1:9"
        self.client = boto3.client(
            "kinesis", region_name="us-east-1", endpoint_url=url, config=once, **credentials
        )
        self.stub = Stubber(self.client)
        self.shards = [SHARD]
        self.clock = itertools.count(step=1000)
        self.count = lambda size: 10_000

    def opens(self, kind: str, **beginning: object) -> None:
        named = {"StreamName": "orders", "ShardId": SHARD.id, "ShardIteratorType": kind}
        self.stub.add_response("get_shard_iterator", {"ShardIterator": "opened"}, {**named, **beginning})

    def refuses_to_open(self, code: str) -> None:
        self.stub.add_client_error("get_shard_iterator", code)

    def answers(self, *records, behind: int = 0, following: str | None = "next", to: str = "opened") -> None:
        answer = {"Records": list(records), "MillisBehindLatest": behind}
        if following:
            answer["NextShardIterator"] = following
        self.stub.add_response("get_records", answer, {"ShardIterator": to, "Limit": ANY})

    def refuses(self, code: str, status: int = 400) -> None:
        self.stub.add_client_error("get_records", code, http_status_code=status)

    def gets_no_answer(self, error: Exception) -> None:
        """Let the next read end as it does when the network fails."""
        errors = [error]

        def fail(**_: object) -> None:
            if errors:
                raise errors.pop()

        self.client.meta.events.register("provide-client-params.kinesis.GetRecords", fail)

    # What a feed wants of its clients and queries.

    def reading(self):
        return self.client

    def listed(self, stream: str) -> list[Listed]:
        return [Listed(shard, ()) for shard in self.shards]

    def feed(self, position: int) -> Feed:
        means = Means(self, self, Paces(lambda: next(self.clock)), Reports("kinesis"), self.count)
        return Feed(SHARD, position, means, 1.0, threading.Condition())


@pytest.fixture
def script():
    script = Script()
    with script.stub:
        yield script
        script.stub.assert_no_pending_responses()


def values(feed: Feed) -> list[bytes | None]:
    return [value for chunk in feed.shelf.take(10_000) for value in chunk.values()]


def test_at_the_tip_the_next_read_comes_after_the_poll_interval_and_behind_it_at_once(script):
    script.opens("TRIM_HORIZON")
    script.answers(stored(1, b"0"), behind=5000)
    script.answers(stored(2, b"1"), to="next")
    feed = script.feed(packing.HORIZON)

    assert feed.run_once() == 0.0
    assert feed.lag_milliseconds == 5000
    assert feed.run_once() == 1.0
    assert values(feed) == [b"0", b"1"]
    assert feed.shelf.take_end() == packing.after(packing.at(2))


def test_an_iterator_that_expires_before_the_first_record_is_opened_at_the_start_again(script):
    for _ in range(2):
        script.opens("AT_TIMESTAMP", Timestamp=1.5)
        script.answers(behind=100)
        script.stub.add_client_error("get_records", "ExpiredIteratorException")
    script.opens("AT_TIMESTAMP", Timestamp=1.5)
    script.answers(stored(7, b"first"))
    feed = script.feed(packing.moment(1500))

    assert [feed.run_once() for _ in range(5)] == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert values(feed) == [b"first"]


def test_an_iterator_that_expires_later_is_opened_behind_the_last_record_read(script):
    script.opens("TRIM_HORIZON")
    script.answers(stored(7, b"read"))
    script.refuses("ExpiredIteratorException")
    script.opens("AFTER_SEQUENCE_NUMBER", StartingSequenceNumber="7")
    script.answers(stored(8, b"next"))
    feed = script.feed(packing.HORIZON)
    for _ in range(3):
        feed.run_once()

    assert values(feed) == [b"read", b"next"]


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("ProvisionedThroughputExceededException", 400),
        ("LimitExceededException", 400),
        ("KMSThrottlingException", 400),
        ("AccessDeniedException", 400),
        ("InternalFailure", 500),
        ("ServiceUnavailable", 503),
    ],
)
def test_a_refused_read_is_a_pause_that_grows_and_loses_nothing(script, code, status, caplog):
    script.opens("TRIM_HORIZON")
    for _ in range(8):
        script.refuses(code, status)
    script.answers(stored(7, b"first"))
    feed = script.feed(packing.HORIZON)
    pauses = [feed.run_once() for _ in range(8)]

    assert 0 < pauses[0] <= 0.25
    assert all(pause <= LONGEST_PAUSE for pause in pauses)
    assert pauses[-1] >= LONGEST_PAUSE / 2
    assert len(caplog.records) == 1
    assert (feed.failure, feed.shelf.has_news) == (None, False)
    assert feed.run_once() == 1.0
    assert values(feed) == [b"first"]


def test_a_service_that_cannot_be_reached_is_a_pause(script):
    script.stub.deactivate()
    feed = script.feed(packing.HORIZON)

    assert 0 < feed.run_once() <= 0.25
    assert (feed.failure, feed.shelf.has_news) == (None, False)


@pytest.mark.parametrize(
    "error", [ReadTimeoutError, ConnectTimeoutError, ConnectionClosedError, EndpointConnectionError]
)
def test_a_read_that_gets_no_answer_is_a_pause_and_is_asked_again(script, error, caplog):
    script.opens("TRIM_HORIZON")
    script.answers(stored(7, b"first"))
    script.gets_no_answer(error(endpoint_url="http://kinesis", error="silence"))
    feed = script.feed(packing.HORIZON)

    assert 0 < feed.run_once() <= 0.25
    assert (feed.failure, feed.shelf.has_news) == (None, False)
    assert error.__name__ in caplog.text
    assert feed.run_once() == 1.0
    assert values(feed) == [b"first"]


@pytest.mark.parametrize("records", [[], [stored(7, b"last")]])
def test_a_shard_without_a_next_iterator_ends_for_good_behind_its_records(script, records):
    script.opens("AFTER_SEQUENCE_NUMBER", StartingSequenceNumber="6")
    script.answers(*records, following=None)
    feed = script.feed(packing.after(packing.at(6)))
    feed.run_once()

    assert len(values(feed)) == len(records)
    assert feed.shelf.take_end() == SHARD_END
    assert feed.run_once() is None


def test_the_end_is_not_told_before_the_records_in_front_of_it_are_taken(script):
    script.opens("TRIM_HORIZON")
    script.answers(stored(7, b"0"), stored(8, b"1"), following=None)
    feed = script.feed(packing.HORIZON)
    feed.run_once()
    feed.shelf.take(1)

    assert feed.shelf.take_end() is None
    assert values(feed) == [b"1"]
    assert feed.shelf.take_end() == SHARD_END


def test_a_shard_opened_at_its_end_says_so_without_a_question(script):
    feed = script.feed(SHARD_END)

    assert feed.run_once() is None
    assert feed.shelf.has_news
    assert feed.shelf.take_end() == SHARD_END


def test_no_more_than_one_page_is_read_ahead(script):
    script.opens("TRIM_HORIZON")
    script.answers(stored(7, b"0"), behind=100)
    script.answers(stored(8, b"1"), behind=100, to="next")
    feed = script.feed(packing.HORIZON)

    assert [feed.run_once() for _ in range(3)] == [0.0, 0.0, None]
    feed.shelf.take(1)
    script.answers(stored(9, b"2"), to="next")
    feed.run_once()
    assert values(feed) == [b"1", b"2"]


def test_the_next_page_is_asked_for_by_the_size_of_the_records_seen(script):
    sizes: list[int] = []
    script.count = lambda size: sizes.append(size) or 10_000
    script.opens("TRIM_HORIZON")
    script.answers(stored(7, bytes(300)), stored(8, bytes(100)), behind=100)
    script.answers(behind=100, to="next")
    script.answers(to="next")
    feed = script.feed(packing.HORIZON)
    for _ in range(3):
        feed.run_once()

    assert sizes == [0, 200, 200]


def test_a_place_inside_an_aggregate_brings_the_rest_of_it(script):
    script.opens("AT_SEQUENCE_NUMBER", StartingSequenceNumber="7")
    script.answers(stored(7, aggregate(b"0", b"1", b"2")), stored(8, b"behind"))
    feed = script.feed(packing.at(7, 1))
    feed.run_once()

    assert values(feed) == [b"1", b"2", b"behind"]


@pytest.mark.parametrize("records", [[], [stored(9, b"kept")]])
def test_a_record_that_was_trimmed_is_out_of_range(script, records):
    script.opens("AT_SEQUENCE_NUMBER", StartingSequenceNumber="7")
    script.answers(*records)
    feed = script.feed(packing.at(7))

    assert feed.run_once() is None
    assert feed.shelf.take_events() == [OutOfRange(SHARD, packing.at(7))]
    assert values(feed) == []


def test_a_place_behind_a_record_that_was_trimmed_is_a_good_place(script):
    script.opens("AFTER_SEQUENCE_NUMBER", StartingSequenceNumber="7")
    script.answers(stored(9, b"kept"))
    feed = script.feed(packing.after(packing.at(7)))
    feed.run_once()

    assert values(feed) == [b"kept"]


@pytest.mark.parametrize("code", ["InvalidArgumentException", "ResourceNotFoundException"])
def test_a_place_that_the_service_refuses_is_out_of_range(script, code):
    script.refuses_to_open(code)
    feed = script.feed(packing.at(7))

    assert feed.run_once() is None
    assert feed.shelf.take_events() == [OutOfRange(SHARD, packing.at(7))]


def test_a_moment_that_the_service_finds_to_be_in_the_future_is_waited_for(script):
    script.refuses_to_open("InvalidArgumentException")
    script.opens("AT_TIMESTAMP", Timestamp=1.5)
    script.answers(stored(7, b"first"))
    feed = script.feed(packing.moment(1500))

    assert feed.run_once() > 0
    feed.run_once()
    assert values(feed) == [b"first"]


def test_a_stream_that_is_gone_is_missing(script):
    script.refuses_to_open("ResourceNotFoundException")
    script.shards = []
    feed = script.feed(packing.HORIZON)

    assert feed.run_once() is None
    assert feed.shelf.take_events() == [Missing("orders")]
