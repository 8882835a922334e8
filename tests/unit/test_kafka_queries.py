"""Questions to a cluster whose coordinators move; a cluster of one broker can't be made to do so."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicPartition

from streamapp.brokers.kafka import queries
from streamapp.brokers.kafka.queries import Queries
from streamapp.brokers.kafka.reports import Reports
from streamapp.exceptions import BrokerUnavailable
from streamapp.records import Shard

SHARD = Shard("orders", "3", "")


class Onlooker:
    """A client that gets these answers, and the last for ever."""

    def __init__(self, *answers: int | KafkaError) -> None:
        self.answers = list(answers)
        self.asked = 0

    def committed(self, partitions: list[TopicPartition], timeout: float) -> list[TopicPartition]:
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, KafkaError):
            raise KafkaException(answer)
        return [TopicPartition(each.topic, each.partition, answer) for each in partitions]


class Watched(Queries):
    def __init__(self, onlooker: Onlooker) -> None:
        super().__init__({}, Reports("kafka"))
        self._stub = onlooker

    @contextmanager
    def _onlooker(self, group: str) -> Iterator[Any]:
        yield self._stub


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(queries, "PAUSE", 0.001)


@pytest.mark.parametrize(
    "code",
    [
        KafkaError.NOT_COORDINATOR,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    ],
)
def test_a_group_is_asked_again_while_its_coordinator_moves(code):
    onlooker = Onlooker(KafkaError(code), KafkaError(code), 42)
    assert Watched(onlooker).committed("post", [SHARD]) == {SHARD: 42}


def test_a_coordinator_that_is_never_found_is_told_after_the_time():
    never = Onlooker(KafkaError(KafkaError.NOT_COORDINATOR))
    with pytest.raises(BrokerUnavailable, match="what the group post has committed"):
        Watched(never).within(0.05).committed("post", [SHARD])
    assert never.asked > 1


def test_another_error_is_told_at_once():
    refused = Onlooker(KafkaError(KafkaError.GROUP_AUTHORIZATION_FAILED))
    with pytest.raises(BrokerUnavailable):
        Watched(refused).committed("post", [SHARD])
    assert refused.asked == 1
