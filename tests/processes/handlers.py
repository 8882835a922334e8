"""A handler that does what the record says and writes down every call: one JSON line each."""

import asyncio
import json
import os
import time
from pathlib import Path
from typing import Any

from django.contrib.auth.models import Group

from streamapp import BatchContext, Context, KafkaTopic, Outcome, subscriber
from streamapp.positions import parse

LOG = Path(os.environ.get("STREAMAPP_STAGE_LOG", os.devnull))


def note(**fields: Any) -> None:
    """Append one line; the file is opened for appending, so lines of several processes don't mix."""
    with LOG.open("ab", buffering=0) as log:
        log.write(json.dumps({"pid": os.getpid(), "at": time.time(), **fields}).encode() + b"\n")


@subscriber(KafkaTopic("given by the test"))
def obey(order: dict, ctx: Context) -> Outcome | None:
    """Take `{"id": 1, "do": "sleep:3"}`; `do` is optional."""
    place = {"shard": int(ctx.shard.id), "offset": ctx.offset, "id": order["id"], "attempt": ctx.attempt}
    note(event="call", **place)
    action, _, argument = order.get("do", "").partition(":")
    match action:
        case "sleep":
            time.sleep(float(argument))
        case "book":
            Group.objects.create(name=f"order {order['id']}")
        case "hold":
            return Outcome.hold("asked to")
        case "fail":
            raise ValueError("asked to")
        case "fail_before" if ctx.attempt < int(argument):
            raise ValueError("asked to")
        case "sleep_at" if ctx.attempt == int(argument):
            time.sleep(60)
        case "sleep_at":
            raise ValueError("asked to")
        case "seek":
            ctx.seek(parse(argument))
        case "rewind":
            ctx.rewind(parse(argument))
    note(event="done", **place)
    return None


@subscriber(KafkaTopic("given by the test"))
def touch_database(order: dict, ctx: Context) -> None:
    """Read and write a row before saying that the record was handled."""
    note(event="call", id=order["id"], attempt=ctx.attempt)
    Group.objects.get_or_create(name=f"order {order['id']}")
    time.sleep(0.01)
    note(event="done", id=order["id"], attempt=ctx.attempt)


@subscriber(KafkaTopic("given by the test"), batch=10)
def obey_batch(orders: list[dict], ctx: BatchContext) -> None:
    """Sleep for as long as the records say, in one call."""
    ids = [order["id"] for order in orders]
    note(event="call", ids=ids)
    time.sleep(sum(order.get("sleep", 0) for order in orders))
    note(event="done", ids=ids)


@subscriber(KafkaTopic("given by the test"))
async def wait_on_the_loop(order: dict) -> None:
    """Sleep as the record says, on the event loop."""
    note(event="call", id=order["id"])
    await asyncio.sleep(float(order["do"].partition(":")[2]))
    note(event="done", id=order["id"])


@subscriber(KafkaTopic("given by the test"), batch=10)
async def wait_in_a_batch(orders: list[dict]) -> None:
    """Sleep as the first record says."""
    await asyncio.sleep(float(orders[0]["do"].partition(":")[2]))
    for order in orders:
        note(event="done", id=order["id"])
