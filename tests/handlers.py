"""Handlers for tests."""

from dataclasses import dataclass

from streamapp import Context, LocalStream, Outcome, subscriber

SEEN: list = []


@dataclass
class Order:
    id: int
    note: str = ""


@subscriber(LocalStream("orders", partitions=2))
def take(order: Order, ctx: Context) -> Outcome | None:
    SEEN.append((ctx.shard.id, ctx.offset, order.id))
    if order.note == "hold":
        return Outcome.hold("asked to")
    return None
