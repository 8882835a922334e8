"""The topics of the example on a Kafka cluster."""

from concurrent.futures import Future
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient, NewTopic
from django.conf import settings

PARTITIONS = 4
SECONDS = 30


class Topics:
    """Makes and deletes them; raises KafkaException when the cluster refuses or is silent for 30 seconds."""

    def __init__(self, bootstrap_servers: str) -> None:
        self._client = AdminClient({"bootstrap.servers": bootstrap_servers})
        self._names = [settings.LEDGER_TOPIC, settings.CARD_ENTRIES_TOPIC, settings.PAYOUTS_TOPIC]

    def create(self) -> None:
        """Make those that are missing."""
        topics = [NewTopic(name, PARTITIONS, 1) for name in self._names]
        _await(self._client.create_topics(topics, request_timeout=SECONDS), KafkaError.TOPIC_ALREADY_EXISTS)

    def delete(self) -> None:
        """Delete those that are there, with the groups that read them."""
        _await(
            self._client.delete_topics(self._names, request_timeout=SECONDS), KafkaError.UNKNOWN_TOPIC_OR_PART
        )
        groups = [mounted["GROUP"] for mounted in settings.STREAMAPP["SUBSCRIPTIONS"].values()]
        _await(
            self._client.delete_consumer_groups(groups, request_timeout=SECONDS),
            KafkaError.GROUP_ID_NOT_FOUND,
        )


def _await(futures: dict[str, Future[Any]], done_already: int) -> None:
    for future in futures.values():
        try:
            future.result()
        except KafkaException as error:
            if error.args[0].code() != done_already:
                raise
