"""A thousand shards on one worker, of a service that answers in this process.

First every shard holds more than is read ahead, then all are at their tips.
"""

import json
import os
import signal
import sys
import threading
import time
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from benchmarks import engine, tally
from benchmarks.kinesis.service import Service
from benchmarks.run import Moment

TIP_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of the process; megabytes are resident ones, reads are those of one shard a second."""

    threads: int
    megabytes_before: float
    megabytes_at_most: float
    records_a_second: float
    slowest: float
    usual: float
    quickest: float


class Watch:
    """Looks at the process until all is read, then counts the reads of each shard for ten seconds."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._before = tally.moment()
        self._looks: list[Moment] = []
        self._threads: list[int] = []
        self._rates: list[float] = []

    def run(self) -> None:
        """Watch to the end, and end the process as a supervisor does."""
        while tally.seen < tally.total:
            self._look()
        handled = len(self._looks)
        before, begun = self._service.reads(), time.monotonic()
        while time.monotonic() < begun + TIP_SECONDS:
            self._look()
        seconds, after = time.monotonic() - begun, self._service.reads()
        self._rates = sorted((after[shard] - before[shard]) / seconds for shard in after)
        self._looks = self._looks[:handled] or self._looks
        os.kill(os.getpid(), signal.SIGTERM)

    def seen(self) -> Seen:
        """Return what was seen."""
        first = next(look for look in self._looks if look.records)
        last = self._looks[-1]
        return Seen(
            max(self._threads),
            self._before.resident_mb,
            max(look.resident_mb for look in self._looks),
            (last.records - first.records) / (last.seconds - first.seconds),
            self._rates[0],
            median(self._rates),
            self._rates[-1],
        )

    def _look(self) -> None:
        self._looks.append(tally.moment())
        self._threads.append(threading.active_count())
        time.sleep(0.05)


def main() -> int:
    """Run, print what was seen, and return the exit code."""
    from streamapp import registry

    broker: Any = registry.broker("kinesis")
    service = Service(tally.run.records)
    for client in (broker.clients.asking(), broker.clients.reading()):
        service.answer(client)
    watch = Watch(service)
    threading.Thread(target=watch.run, daemon=True).start()
    code = engine.consume()
    print(json.dumps(asdict(watch.seen())), flush=True)
    return code


if __name__ == "__main__":
    engine.prepare("benchmarks.kinesis.settings")
    sys.exit(main())
