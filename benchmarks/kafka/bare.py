"""The baseline in a process of its own: the client library in a loop, and nothing else."""

import msgspec
from confluent_kafka import Consumer, TopicPartition

from benchmarks import tally
from benchmarks.kafka.client import client_options
from benchmarks.run import Result
from benchmarks.tally import Entry, handle


def consume(consumer: Consumer, topic: str, total: int) -> None:
    """Handle so many records, as issue and documentation give the loop."""
    decoder = msgspec.json.Decoder(Entry)
    seen = 0
    while seen < total:
        messages, last = consumer.consume(500, 1.0), {}
        for message in messages:
            handle(decoder.decode(message.value()))
            last[message.partition()] = message.offset() + 1
        consumer.store_offsets(offsets=[TopicPartition(topic, p, o) for p, o in last.items()])
        seen += len(messages)


def main() -> None:
    """Read the topic once as a group of its own."""
    consumer = Consumer(
        {
            **client_options(),
            "group.id": tally.run.name,
            "auto.offset.reset": "earliest",
            "enable.auto.offset.store": False,
        }
    )
    consumer.subscribe([tally.run.stream])
    consume(consumer, tally.run.stream, tally.total)
    consumer.close()
    Result(tally.moments, []).say()


if __name__ == "__main__":
    main()
