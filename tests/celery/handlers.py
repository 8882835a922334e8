"""Handlers whose records become tasks."""

import time
from asyncio import CancelledError
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import Group

from streamapp import Context, KafkaTopic, Outcome, subscriber
from streamapp.positions import parse
from tests.processes.handlers import LOG, note


@subscriber(KafkaTopic("given by the test"))
def write(order: dict[str, Any], ctx: Context) -> Outcome | None:
    """Write a row, then do what the record says."""
    Group.objects.create(name=f"{order['id']} at {ctx.attempt}")
    note(event="call", id=order["id"], attempt=ctx.attempt, headers=sorted(ctx.headers), key=str(ctx.key))
    match order.get("do"):
        case "fail once" if ctx.attempt == 1:
            raise ValueError("asked to")
        case "cancel once" if ctx.attempt == 1:
            raise CancelledError
        case "later" if ctx.attempt == 1:
            return Outcome.retry_after(0.1, "not yet")
        case "drop":
            return Outcome.drop("asked to")
        case "seek":
            ctx.seek(parse("earliest"))
        case "rewind" if not Group.objects.filter(name="rewound").exists():
            Group.objects.create(name="rewound")
            ctx.rewind(parse("earliest"))
    note(event="done", id=order["id"], attempt=ctx.attempt)
    return None


@subscriber(KafkaTopic("given by the test"))
async def wait(order: dict[str, Any]) -> None:
    """Write a row from a coroutine."""
    await Group.objects.acreate(name=f"order {order['id']}")
    note(event="done", id=order["id"])


@subscriber(KafkaTopic("given by the test"))
def count(number: int | None) -> None:
    """Take a number, or a tombstone."""
    note(event="done", id=number)


@subscriber(KafkaTopic("given by the test"))
def linger(order: dict[str, Any], ctx: Context) -> Outcome | None:
    """Write a row and take so many seconds over it, the first time only; what is held writes none."""
    first = f'"id": {order["id"]},' not in LOG.read_text()
    if not order.get("hold"):
        Group.objects.create(name=f"order {order['id']}")
    note(event="call", id=order["id"], attempt=ctx.attempt)
    time.sleep(order["seconds"] if first else 0)
    if order.get("hold"):
        return Outcome.hold("asked to")
    note(event="done", id=order["id"], attempt=ctx.attempt)
    return None


@subscriber(KafkaTopic("given by the test"))
def weigh(value: bytes, ctx: Context) -> None:
    """Say how heavy a record is, and what its bytes come to."""
    note(event="done", id=len(value), sum=sha256(value).hexdigest())
