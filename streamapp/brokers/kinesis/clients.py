"""boto3 clients: made at the first use, one set a process, used from any thread."""

import os
import threading
from collections.abc import Mapping
from typing import Any

import boto3
from botocore.config import Config

from streamapp.brokers.kinesis import options as settings

CONNECT_SECONDS = 3
READ_SECONDS = 10
CREATION = threading.Lock()
"""Sessions of boto3 must not be used by two threads at once."""


class Clients:
    """Gives out this process's clients; those of a parent process stay untouched."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        """Keep the options; no I/O happens before the first use."""
        self._options = options
        self._made: dict[tuple[int, int], Any] = {}

    def asking(self) -> Any:
        """Return the client for questions and for publishing, which tries three times by itself."""
        return self._client(attempts=3)

    def reading(self) -> Any:
        """Return the client of the readers. It tries once: a shard that must wait occupies no thread."""
        return self._client(attempts=1)

    def close(self) -> None:
        """Close the connections of this process."""
        mine = [key for key in self._made if key[0] == os.getpid()]
        for key in mine:
            self._made.pop(key).close()

    def _client(self, attempts: int) -> Any:
        key = os.getpid(), attempts
        if key not in self._made:
            with CREATION:
                self._made.setdefault(key, self._new(attempts))
        return self._made[key]

    def _new(self, attempts: int) -> Any:
        session = boto3.session.Session(**settings.chosen(self._options, settings.SESSION))
        config = Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=READ_SECONDS,
            max_pool_connections=settings.threads(self._options) + 4,
            retries={"mode": "standard", "total_max_attempts": attempts},
        )
        return session.client("kinesis", config=config, **settings.chosen(self._options, settings.CLIENT))


def naming(stream: str) -> dict[str, str]:
    """Return the parameter that names a stream in a request."""
    return {"StreamARN" if stream.startswith("arn:") else "StreamName": stream}
