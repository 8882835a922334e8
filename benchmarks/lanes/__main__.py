"""How long 10 000 records take that each wait for 0 to 5 ms, on one partition and a hundred lanes.

    python -m benchmarks.lanes [--records N] [--rounds N] [--json]

Takes Kafka (KAFKA_BOOTSTRAP_SERVERS) and PostgreSQL (DATABASE_URL), or starts them; see docs/benchmarks.md.
"""

import argparse
import json
import os
import uuid
from statistics import median

from benchmarks.database import scratch_database
from benchmarks.kafka.topic import delete_groups, filled_topic
from benchmarks.run import Result, Run, measure
from benchmarks.servers import servers

SIDES = ("key_async", "none_async", "key_threads", "none_threads")
ONE_LANE = "shard"
KEYS = 1_000
SERVERS = {"kafka": "KAFKA_BOOTSTRAP_SERVERS", "postgres": "DATABASE_URL"}


class Measurement:
    """All runs over one topic, a group each."""

    def __init__(self, topic: str, records: int) -> None:
        self.groups: list[str] = []
        self._topic = topic
        self._records = records

    def all(self, rounds: int) -> dict[str, list[float]]:
        """Measure every side once a round, and one lane once."""
        seconds: dict[str, list[float]] = {side: [] for side in (*SIDES, ONE_LANE)}
        for number in range(1, rounds + 1):
            for side in (*SIDES, ONE_LANE) if number == 1 else SIDES:
                seconds[side].append(self._run(side, number))
        return seconds

    def _run(self, side: str, number: int) -> float:
        self.groups.append(f"{self._topic}-{len(self.groups)}")
        run = Run(side, self.groups[-1], self._topic, self._records)
        taken, busy = duration(measure(run, "benchmarks.lanes.ours"))
        print(f"round {number}, {side}: {taken:.2f} s, the process was busy for {busy:.2f} s", flush=True)
        return taken


def duration(result: Result) -> tuple[float, float]:
    """Return the seconds from the first call to the end of the last one, and the processor's in them."""
    first, last = result.moments[0], result.moments[-1]
    return last.seconds - first.seconds, last.processor_seconds - first.processor_seconds


def main() -> None:
    """Measure and print; the JSON object comes last."""
    arguments = parse()
    name = f"streamapp_benchmark_{uuid.uuid4().hex[:8]}"
    with servers(SERVERS), scratch_database(name) as version:
        address = os.environ["KAFKA_BOOTSTRAP_SERVERS"]
        measurement = Measurement(name, arguments.records)
        print(f"{arguments.records} records, {arguments.rounds} rounds, checkpoints in PostgreSQL {version}")
        with filled_topic(address, name, arguments.records, partitions=1, keys=KEYS) as admin:
            try:
                seconds = measurement.all(arguments.rounds)
            finally:
                delete_groups(admin, measurement.groups)
    print(table(seconds))
    if arguments.json:
        medians = {side: round(median(each), 2) for side, each in seconds.items()}
        print(json.dumps({"benchmark": "lanes", "seconds": medians}))


def table(seconds: dict[str, list[float]]) -> str:
    """Return medians and spread as lines."""
    lines = [f"{'side':<16}{'median':>10}{'lowest':>10}{'highest':>10}"]
    for side, each in seconds.items():
        lines.append(f"{side:<16}{median(each):>8.2f} s{min(each):>8.2f} s{max(each):>8.2f} s")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure lanes by key and without order.")
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="Print the figures as the last line.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
