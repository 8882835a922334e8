"""A handler that writes down which shard brought which record; one JSON line each."""

import time

from streamapp import Context, KinesisStream, subscriber
from tests.processes.handlers import note


@subscriber(KinesisStream("given-by-the-test"))
def write_down(order: dict, ctx: Context) -> None:
    """Take `{"id": 1, "sleep": 0.5}`; `sleep` is optional."""
    note(event="call", id=order["id"])
    time.sleep(order.get("sleep", 0))
    key = ctx.key.decode() if ctx.key else ""
    note(event="done", id=order["id"], shard=ctx.shard.id, key=key)
