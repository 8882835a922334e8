"""A look spends few reads, whatever the service answers, and ends in time."""

import socket
import time
from typing import Any

import pytest
from botocore.exceptions import ClientError

from streamapp.brokers.kinesis import KinesisBroker
from streamapp.brokers.kinesis.looking import READS, Looks
from streamapp.brokers.kinesis.pacing import READ_SECONDS, Paces
from streamapp.brokers.kinesis.queries import Listed
from streamapp.brokers.looking import Limits, Stop
from streamapp.exceptions import BrokerUnavailable, InvalidPosition
from streamapp.records import Shard

SHARD = Shard("orders", "shardId-000000000000", "made")
CHILD = Shard("orders", "shardId-000000000001", "made")
LIMITS = Limits(records=10, size=10_000, seconds=60)


class Clock:
    """Time that passes only where somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Scripted:
    """A service that gives these answers, the last one again and again; it is its own client."""

    def __init__(self, clock: Clock, *answers: Any) -> None:
        self.clock = clock
        self.answers = list(answers)
        self.read: list[float] = []

    def reading(self) -> "Scripted":
        return self

    def recent(self, stream: str, max_age: float) -> list[Listed]:
        """The shard was split a moment ago: what is remembered doesn't have the child."""
        return [Listed(SHARD, ()), *[Listed(CHILD, (SHARD.id,))] * (max_age == 0)]

    def get_shard_iterator(self, **_: Any) -> dict[str, str]:
        return {"ShardIterator": "first"}

    def get_records(self, **_: Any) -> Any:
        self.read.append(self.clock.now)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def refusal(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "GetRecords")


def page(*numbers: int, behind: int = 0, following: str | None = "next") -> dict[str, Any]:
    records = [{"SequenceNumber": str(n), "Data": b"x", "PartitionKey": "key"} for n in numbers]
    return {"Records": records, "MillisBehindLatest": behind, "NextShardIterator": following}


BUSY = refusal("ProvisionedThroughputExceededException")
EMPTY = page(behind=5000)


def look(*answers: Any, limits: Limits = LIMITS):
    clock = Clock()
    service: Any = Scripted(clock, *answers)
    looks = Looks(service, service, Paces(lambda: clock.now), clock.sleep)
    return looks, service, lambda: looks.peek(SHARD, 0, limits)


def test_empty_answers_are_passed_until_records_come():
    *_, peek = look(EMPTY, EMPTY, page(1, 2))
    peeked = peek()
    assert (len(peeked.records), peeked.stop, peeked.reads) == (2, Stop.END, 3)


def test_a_look_that_finds_only_empty_answers_gives_up_after_a_few_reads():
    _, service, peek = look(EMPTY)
    peeked = peek()
    assert (peeked.records, peeked.next, peeked.stop) == ((), 0, Stop.READS)
    assert len(service.read) == READS


def test_half_of_the_reads_of_a_shard_are_left_to_its_consumers():
    _, service, peek = look(EMPTY)
    peek()
    pauses = [later - earlier for earlier, later in zip(service.read, service.read[1:], strict=False)]
    assert min(pauses) == pytest.approx(2 * READ_SECONDS)


def test_a_look_waits_for_the_readers_of_the_same_process():
    looks, service, peek = look(page(1))
    looks._paces.of(SHARD).wait()
    peek()
    assert service.read == [READ_SECONDS]


def test_a_shard_whose_reads_are_used_up_for_a_moment_is_asked_again():
    _, service, peek = look(BUSY, BUSY, page(1))
    assert (len(peek().records), len(service.read)) == (1, 3)


def test_a_shard_whose_reads_are_used_up_all_the_time_is_said_so():
    *_, peek = look(BUSY)
    with pytest.raises(BrokerUnavailable, match="used up by its consumers: 8 reads were refused"):
        peek()


def test_any_other_refusal_is_told():
    _, service, peek = look(refusal("AccessDeniedException"))
    with pytest.raises(BrokerUnavailable, match="AccessDenied"):
        peek()
    assert len(service.read) == 1


def test_what_lies_behind_the_limits_is_left_for_the_next_look():
    looks, _, peek = look(page(1, 2, 3, behind=5), limits=Limits(2, 10_000, 60))
    peeked = peek()
    assert (len(peeked.records), peeked.stop) == (2, Stop.RECORDS)
    assert [record.value for record in looks.peek(SHARD, peeked.next, LIMITS).records] == [b"x"]


def test_a_stream_that_was_made_again_is_not_looked_at():
    looks, service, _ = look(page(1))
    with pytest.raises(InvalidPosition, match="isn't there any more"):
        looks.peek(Shard("orders", SHARD.id, "older"), 0, LIMITS)
    assert service.read == []


def test_a_shard_that_came_after_the_last_listing_is_looked_at():
    looks, _, _ = look(page(1))
    assert len(looks.peek(CHILD, 0, Limits(1, 10_000, 60)).records) == 1


def test_a_service_that_does_not_answer_is_given_up_within_seconds():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        keys = {"aws_access_key_id": "any", "aws_secret_access_key": "any"}
        broker = KinesisBroker("away", {"region_name": "us-east-1", "endpoint_url": address, **keys})
        begun = time.monotonic()
        with pytest.raises(BrokerUnavailable, match="Kinesis didn't answer"):
            broker.peek(SHARD, 0, LIMITS)
        assert time.monotonic() - begun < 10
        broker.close()
