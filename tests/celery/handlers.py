"""Handlers whose records become tasks."""

from typing import Any

from django.contrib.auth.models import Group

from streamapp import Context, KafkaTopic, Outcome, subscriber
from streamapp.positions import parse
from tests.processes.handlers import note


@subscriber(KafkaTopic("given by the test"))
def write(order: dict[str, Any], ctx: Context) -> Outcome | None:
    """Write a row, then do what the record says."""
    Group.objects.create(name=f"{order['id']} at {ctx.attempt}")
    note(event="call", id=order["id"], attempt=ctx.attempt, headers=sorted(ctx.headers), key=str(ctx.key))
    match order.get("do"):
        case "fail once" if ctx.attempt == 1:
            raise ValueError("asked to")
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
