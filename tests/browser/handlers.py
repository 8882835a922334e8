"""The handler of the browser tests: it writes down what it was given, in the order of its shard."""

from typing import Any

from streamapp.brokers.local import LocalStream
from streamapp.registry import subscriber

given: dict[str, list[int]] = {}
"""The positions that were handed over, by shard."""


@subscriber(LocalStream("orders", partitions=2))
def spend(order: dict[str, Any], ctx: Any) -> None:
    given.setdefault(ctx.shard.id, []).append(ctx.offset)
