"""The handlers write down what they are given, wait at the gate, and hold what says so."""

import os
import time
from pathlib import Path

from streamapp import Context, KafkaTopic, KinesisStream, Outcome, subscriber
from tests.processes.handlers import note

HOLD, HOLD_ONCE = "hold:", "hold once:"
GATE = Path(os.environ.get("STREAMAPP_STAGE_GATE", os.devnull))
"""While this file is there no call ends, so that a stored position stays to be looked at."""

held: set[str] = set()


def take(value: str, ctx: Context) -> Outcome | None:
    note(event="call", stream=ctx.shard.stream, shard=ctx.shard.id, value=value)
    while GATE.is_file():
        time.sleep(0.01)
    if value.startswith(HOLD) or (value.startswith(HOLD_ONCE) and value not in held):
        held.add(value)
        return Outcome.hold(f"asked to by {value}")
    return None


@subscriber(KafkaTopic("given by the test"))
def take_from_topic(value: str, ctx: Context) -> Outcome | None:
    return take(value, ctx)


@subscriber(KinesisStream("given-by-the-test"))
def take_from_stream(value: str, ctx: Context) -> Outcome | None:
    return take(value, ctx)
