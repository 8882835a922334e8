"""Streams of kinesis-local, made ahead in threads: each takes longer than many a test."""

import uuid
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

AHEAD = 3
PATIENCE_SECONDS = 60


class Streams:
    """Makes streams and deletes all of them at the end."""

    def __init__(self, client: Any, prefix: str) -> None:
        self._client = client
        self._prefix = prefix
        self._threads = ThreadPoolExecutor(AHEAD)
        self._ahead: dict[int, deque[Future[str]]] = {}
        self._made: set[str] = set()

    def take(self, shards: int) -> str:
        """Return a new stream with so many shards, and begin to make those that will be asked for next."""
        ahead = self._ahead.setdefault(shards, deque())
        while len(ahead) <= AHEAD:
            name = f"{self._prefix}-{uuid.uuid4().hex[:12]}"
            ahead.append(self._threads.submit(self.make, name, shards))
        return ahead.popleft().result(PATIENCE_SECONDS)

    def make(self, name: str, shards: int) -> str:
        self._client.create_stream(StreamName=name, ShardCount=shards)
        self._made.add(name)
        self._client.get_waiter("stream_exists").wait(StreamName=name, WaiterConfig={"Delay": 0.05})
        return name

    def delete(self, name: str) -> None:
        self._client.delete_stream(StreamName=name)
        self._made.discard(name)

    def close(self) -> None:
        made = [stream for ahead in self._ahead.values() for stream in ahead]
        wait(made)
        list(self._threads.map(self.delete, list(self._made)))
        self._threads.shutdown()
