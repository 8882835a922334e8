"""Says when a partition was first read, and when it went back."""

import json
import time

from benchmarks import tally
from streamapp import Context, KafkaTopic, subscriber

last: dict[str, int] = {}


@subscriber(KafkaTopic(tally.run.stream))
def note(record: bytes, ctx: Context) -> None:  # noqa: ARG001
    """Note a record that isn't behind the last one of its partition."""
    partition, offset = ctx.shard.id, ctx.offset
    if offset <= last.get(partition, offset):
        back = partition in last
        print(json.dumps({"partition": int(partition), "at": time.time(), "back": back}), flush=True)
    last[partition] = offset
