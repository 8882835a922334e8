"""Publishing one record at a time, confirmed."""

import os
import time
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from streamapp.brokers.kafka.options import producer_options
from streamapp.brokers.kafka.reports import Reports
from streamapp.exceptions import PublishFailed

SLICE = 0.01
"""Seconds of one wait: as long may a confirmation go unnoticed that another thread's wait has served."""
MARGIN = 5.0


class Publisher:
    """Publishes and waits for the confirmation. Used from any thread; each process gets its own client."""

    def __init__(self, options: Mapping[str, Any], reports: Reports) -> None:
        """Keep the options; `message.timeout.ms` among them bounds the wait, 10 seconds if it isn't set."""
        self._options = options
        self._reports = reports
        self._clients: dict[int, Producer] = {}

    def publish(
        self, topic: str, value: bytes | None, key: bytes | None, headers: Mapping[str, bytes]
    ) -> tuple[int, int]:
        """Store one record; return its partition and offset. Raises PublishFailed."""
        producer, report = self._client(), Future[Message]()
        try:
            producer.produce(topic, value, key, headers=list(headers.items()), on_delivery=_reporting(report))
        except (KafkaException, BufferError) as error:
            raise PublishFailed(f"Kafka's client refused a record for {topic}: {error.args[0]}.") from error
        return self._confirmed(producer, report, topic)

    def close(self) -> None:
        """Wait up to 5 seconds for what is unconfirmed, and forget the client of this process."""
        if producer := self._clients.pop(os.getpid(), None):
            producer.flush(MARGIN)

    def _confirmed(self, producer: Producer, report: Future[Message], topic: str) -> tuple[int, int]:
        deadline = time.monotonic() + int(self._settings["message.timeout.ms"]) / 1000 + MARGIN
        while not report.done() and time.monotonic() < deadline:
            producer.poll(SLICE)
        if not report.done():
            raise PublishFailed(
                f"Kafka didn't confirm a record for {topic} in time. It may have been stored."
            )
        if error := report.exception():
            raise PublishFailed(f"Kafka didn't store a record for {topic}: {error}.") from error
        message: Any = report.result()
        return message.partition(), message.offset()

    @property
    def _settings(self) -> dict[str, Any]:
        return producer_options(self._options)

    def _client(self) -> Producer:
        """Return this process's client; one of a parent stays untouched, because it dies with the fork."""
        client = self._clients.get(os.getpid())
        if client is None:
            ours = {"error_cb": self._reports.error, "logger": self._reports}
            client = self._clients.setdefault(os.getpid(), Producer({**self._settings, **ours}))
        return client


def _reporting(report: Future[Message]) -> Any:
    def on_delivery(error: KafkaError | None, message: Message) -> None:
        if error is None:
            report.set_result(message)
        else:
            report.set_exception(KafkaException(error))

    return on_delivery
