"""boto3 clients: made at the first use, one set a process, used from any thread."""

import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import boto3
import botocore.session
from botocore.config import Config
from botocore.utils import parse_timestamp

from streamapp.brokers.kinesis import options as settings

CREATION = threading.Lock()
"""A session of boto3 must not be used by two threads at once."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How many seconds a connection and an answer may take, and how often a question is asked."""

    connect: float = 3
    read: float = 10
    attempts: int = 3


USUAL = Patience()


class Clients:
    """Gives out this process's clients; those of a parent process stay untouched."""

    def __init__(self, options: Mapping[str, Any], patience: Patience = USUAL) -> None:
        """Keep the options; no I/O happens before the first use."""
        self._options = options
        self._patience = patience
        self._made: dict[tuple[int, int], Any] = {}
        self._sessions: dict[int, boto3.session.Session] = {}

    def asking(self) -> Any:
        """Return the client for questions and for publishing, which tries again by itself."""
        return self._client(self._patience.attempts)

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
        config = Config(
            connect_timeout=self._patience.connect,
            read_timeout=self._patience.read,
            max_pool_connections=settings.threads(self._options) + 4,
            retries={"mode": "standard", "total_max_attempts": attempts},
        )
        return self._session().client(
            "kinesis", config=config, **settings.chosen(self._options, settings.CLIENT)
        )

    def _session(self) -> boto3.session.Session:
        """Return the session of this process: making one reads files, which takes longer than a client."""
        pid = os.getpid()
        if pid not in self._sessions:
            self._sessions[pid] = boto3.session.Session(
                botocore_session=_quick_session(), **settings.chosen(self._options, settings.SESSION)
            )
        return self._sessions[pid]


def _quick_session() -> botocore.session.Session:
    """Return a session that doesn't look up this machine's time zone for every record that it reads.

    That would be more than half of the time that reading takes.
    """
    session = botocore.session.Session()
    session.get_component("response_parser_factory").set_parser_defaults(timestamp_parser=_moment)
    return session


def _moment(value: Any) -> datetime:
    """Read a moment as the service writes it: in seconds, or else as text."""
    return datetime.fromtimestamp(value, UTC) if isinstance(value, int | float) else parse_timestamp(value)


def naming(stream: str) -> dict[str, str]:
    """Return the parameter that names a stream in a request."""
    return {"StreamARN" if stream.startswith("arn:") else "StreamName": stream}
