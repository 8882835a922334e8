"""The client's errors as log lines.

Each kind once a minute, because a client that can't connect repeats itself 20 times a second.
"""

import logging
import time
from collections.abc import Callable, Hashable, Sequence

from confluent_kafka import KafkaError, TopicPartition

from streamapp.observability.logs import Fields

logger = logging.getLogger(__name__)
INTERVAL = 60.0


class Reports:
    """Logs what clients report. Called from any thread, also from callbacks; never raises, never waits."""

    def __init__(self, alias: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Take the broker's alias for the log lines, and a clock in seconds."""
        self._alias = alias
        self._clock = clock
        self._last: dict[Hashable, float] = {}

    def error(self, error: KafkaError) -> None:
        """Log an error that the client goes on from by itself."""
        if self._is_due(error.code()):
            logger.warning(
                "Kafka client error. %s",
                Fields(broker=self._alias, code=error.name(), reason=error.str()),
            )

    def commit(self, error: KafkaError | None, partitions: Sequence[TopicPartition]) -> None:
        """Log a commit to the group that was refused; checkpoints in the database don't depend on it."""
        failed = [(entry, error or entry.error) for entry in partitions if error or entry.error]
        for entry, reason in failed:
            if reason is not None and self._is_due(("commit", reason.code())):
                shard = f"{entry.topic}/{entry.partition}"
                fields = Fields(broker=self._alias, shard=shard, position=entry.offset, reason=reason.str())
                logger.warning("Checkpoint not mirrored to the group. %s", fields)

    def log(self, level: int, _form: str, facility: str, client: str, text: str) -> None:
        """Take a line of the client's own log, as the `logger` option wants it."""
        if level <= logging.DEBUG or self._is_due(facility):
            fields = Fields(broker=self._alias, client=client, facility=facility, reason=text)
            logger.log(min(level, logging.INFO), "Kafka client log. %s", fields)

    def _is_due(self, kind: Hashable) -> bool:
        now = self._clock()
        if now - self._last.get(kind, -INTERVAL) < INTERVAL:
            return False
        self._last[kind] = now
        return True
