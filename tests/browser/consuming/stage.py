"""Two subscriptions on a real broker, and a process that consumes them while operators work."""

import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from streamapp import registry
from streamapp.models import Checkpoint, HeldRecord, RewoundShard
from tests.browser.consuming.mounting import settings
from tests.browser.consuming.worker import WorkerProcess
from tests.contract.moving.kafka_log import KafkaLog
from tests.contract.moving.kinesis_log import KinesisLog
from tests.contract.moving.logs import Log

EARLIER, LATER = 6, 4
"""So many orders each shard has in front of `Stage.moment`, and so many behind it."""
GAP = timedelta(seconds=8)
"""So far apart they are, because `so long ago` is given in seconds and counts from when it is reviewed."""
SHARDS = (0, 1)
KINDS: dict[str, type[Log]] = {"kafka": KafkaLog, "kinesis": KinesisLog}
Places = Mapping[int, int]
"""How many records lie in front of a place, by the number of the shard."""


def until(condition: Callable[[], object], what: Callable[[], object], seconds: float = 40) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"This never came true: {what()}"
        time.sleep(0.02)


class Stage:
    """`orders` are there to be rewound, `parcels` to be paused, held and skipped: two shards each."""

    def __init__(self, kind: str, directory: Path) -> None:
        self.kind = kind
        self.log = KINDS[kind]()
        self.orders, self.parcels = (_name(word) for word in ("orders", "parcels"))
        self.written: dict[tuple[str, int], list[str]] = {}
        self.settings = settings(kind, (self.orders, self.parcels))
        self.worker = WorkerProcess(directory, self.settings)

    def fill(self) -> None:
        """Write half of the orders, begin to read them, and write the others later."""
        for stream in (self.orders, self.parcels):
            self.log.topic(len(SHARDS), stream)
        for shard in SHARDS:
            self.write(self.orders, shard, EARLIER)
        self.moment = datetime.now(UTC) + timedelta(milliseconds=1)
        self.worker.start()
        until(lambda: datetime.now(UTC) > self.moment + GAP, lambda: "time goes on")
        for shard in SHARDS:
            self.write(self.orders, shard, LATER)

    def write(self, stream: str, shard: int, values: int | Sequence[str]) -> list[str]:
        """Write these values now, or so many that name their places; return them."""
        before = self.written.setdefault((stream, shard), [])
        if isinstance(values, int):
            values = [f"{shard}@{len(before) + number}" for number in range(values)]
        self.log.write(stream, values, shard, datetime.now(UTC))
        before += values
        return list(values)

    def rest(self) -> None:
        """Wait until all was handled and saved, and look only at what is handled from now on."""
        for stream in (self.orders, self.parcels):
            self.await_stored(stream, self.ends(stream))
        self.worker.forget()

    def ends(self, stream: str) -> dict[int, int]:
        return {shard: len(self.written.get((stream, shard), ())) for shard in SHARDS}

    def behind(self, stream: str, places: Places) -> dict[str, list[str]]:
        """Return all values from these places on, as `given` does."""
        values = {self.log.shard_id(shard): self.written[stream, shard][at:] for shard, at in places.items()}
        return {shard: rest for shard, rest in values.items() if rest}

    def await_given(self, stream: str, expected: dict[str, list[str]]) -> None:
        """Wait until the handlers were given exactly these and no others, in the order of each shard."""

        def given() -> dict[str, list[str]]:
            return self.worker.given(stream)

        until(lambda: given() == expected, lambda: f"given {expected}, not {given()}")

    def await_stored(self, stream: str, expected: Places) -> None:
        until(lambda: self.stored(stream) == expected, lambda: f"at {expected}, not {self.stored(stream)}")

    def await_held(self, stream: str, count: int) -> None:
        held = HeldRecord.objects.filter(checkpoint__stream=stream)
        until(lambda: held.count() == count, lambda: f"{count} held, not {held.count()}")

    def row(self, stream: str, shard: int) -> Checkpoint:
        return Checkpoint.objects.get(stream=stream, shard=self.log.shard_id(shard))

    def stored(self, stream: str) -> dict[int, int]:
        """Return the stored checkpoints as places."""
        rows = Checkpoint.objects.filter(stream=stream)
        return {int(self.log.number(row.shard)): self.log.place(row.key, row.position) for row in rows}

    def position(self, stream: str, shard: int, place: int) -> int:
        """Return the position of a record as it is stored."""
        position = self.log.position(f"{shard}@{place}", stream)
        return registry.broker(self.kind).read(str(position).partition("@")[2])

    def told(self, position: int) -> str:
        """Write a position as its broker does."""
        return registry.broker(self.kind).describe(position)

    def moved(self, number: int) -> list[RewoundShard]:
        """Return what a rewind has written."""
        return list(RewoundShard.objects.filter(rewind=number).select_related("checkpoint"))

    def close(self) -> None:
        self.worker.kill()
        # Shown by pytest when a test has failed.
        print(self.worker.output.read_text()[-8000:] if self.worker.output.exists() else "Never started.")
        self.log.close()


def _name(word: str) -> str:
    return f"browser-{word}-{uuid.uuid4().hex[:8]}"
