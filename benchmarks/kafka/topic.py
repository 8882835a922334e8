"""The topic that all sides read: made, filled, and deleted in the end with the groups that have read it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from benchmarks.records import value

PARTITIONS = 4
PATIENCE_SECONDS = 120
MOST_UNCONFIRMED = 40_000


@contextmanager
def filled_topic(
    servers: str, name: str, records: int, partitions: int = PARTITIONS, keys: int = 0
) -> Iterator[AdminClient]:
    """Make a topic with so many records, spread evenly over its partitions and keys; delete it afterwards."""
    admin = AdminClient({"bootstrap.servers": servers})
    _finish(admin.create_topics([NewTopic(name, partitions)]))
    try:
        _fill(servers, name, records, partitions, keys)
        yield admin
    finally:
        _finish(admin.delete_topics([name]))


def delete_groups(admin: AdminClient, groups: Iterable[str]) -> None:
    """Delete consumer groups; one that never came to be is no error."""
    for future in admin.delete_consumer_groups(list(groups)).values():
        try:
            future.result(PATIENCE_SECONDS)
        except KafkaException as error:
            print(f"A group was not deleted: {error}")


def _fill(servers: str, name: str, records: int, partitions: int, keys: int) -> None:
    refused: list[KafkaError] = []
    producer = Producer({"bootstrap.servers": servers, "linger.ms": 20})

    def on_delivery(error: KafkaError | None, _: Message) -> None:
        if error is not None:
            refused.append(error)

    for number in range(records):
        while len(producer) > MOST_UNCONFIRMED:
            producer.poll(0.01)
        key = f"key-{number % keys}" if keys else None
        producer.produce(name, value(number), key, number % partitions, on_delivery)
    if unconfirmed := producer.flush(PATIENCE_SECONDS):
        raise RuntimeError(f"{unconfirmed} records were not confirmed within {PATIENCE_SECONDS} seconds.")
    if refused:
        raise RuntimeError(f"{len(refused)} records were refused, the first with: {refused[0]}.")


def _finish(futures: dict[str, Any]) -> None:
    for future in futures.values():
        future.result(PATIENCE_SECONDS)
