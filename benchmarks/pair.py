"""Two sides of one thing, measured in turn over a Kafka topic: rates, and the ratio of the medians."""

import argparse
import json
import os
import uuid
from dataclasses import dataclass
from statistics import median

from benchmarks.database import scratch_database
from benchmarks.kafka.topic import delete_groups, filled_topic
from benchmarks.run import Result, Run, measure
from benchmarks.servers import servers

SERVERS = {"kafka": "KAFKA_BOOTSTRAP_SERVERS", "postgres": "DATABASE_URL"}
Results = dict[str, list[Result]]


@dataclass(frozen=True, slots=True)
class Pair:
    """A benchmark of two sides: `base`, and the `other` whose median rate is divided by that of the base.

    `benchmark` and `ratio` are the names in the JSON object; `module` runs one side in a process of its own.
    """

    benchmark: str
    base: str
    other: str
    ratio: str
    module: str
    description: str
    records: int
    rounds: int


class Measurement:
    """All runs over one topic, a group each."""

    def __init__(self, pair: Pair, topic: str, records: int) -> None:
        self.groups: list[str] = []
        self._pair = pair
        self._topic = topic
        self._records = records

    def rounds(self, count: int) -> Results:
        """Measure both sides in turn, in each round the other one first."""
        sides = (self._pair.base, self._pair.other)
        results: Results = {side: [] for side in sides}
        for number in range(count):
            for side in sides if number % 2 == 0 else reversed(sides):
                results[side].append(self._run(side))
                rate = results[side][-1].rate
                print(f"round {number + 1}, {side}: {rate:.0f} records a second", flush=True)
        return results

    def _run(self, side: str) -> Result:
        self.groups.append(f"{self._topic}-{len(self.groups)}")
        run = Run(side, self.groups[-1], self._topic, self._records)
        return measure(run, self._pair.module)


def compare(pair: Pair) -> None:
    """Measure as the command line says, and print; the JSON object comes last."""
    arguments = parse(pair)
    name = f"streamapp_benchmark_{uuid.uuid4().hex[:8]}"
    with servers(SERVERS), scratch_database(name) as version:
        print(f"{arguments.records} records, {arguments.rounds} rounds, PostgreSQL {version}")
        measurement = Measurement(pair, name, arguments.records)
        with filled_topic(os.environ["KAFKA_BOOTSTRAP_SERVERS"], name, arguments.records) as admin:
            try:
                results = measurement.rounds(arguments.rounds)
            finally:
                delete_groups(admin, measurement.groups)
    print(table(results))
    if arguments.json:
        ratio = round(median_rate(results[pair.other]) / median_rate(results[pair.base]), 3)
        print(json.dumps({"benchmark": pair.benchmark, "ratios": {pair.ratio: ratio}}))


def median_rate(runs: list[Result]) -> float:
    """Return the median of records a second."""
    return median(result.rate for result in runs)


def table(results: Results) -> str:
    """Return medians and spread as lines."""
    lines = [f"{'side':<16}{'median/s':>10}{'lowest':>10}{'highest':>10}{'a CPU second':>14}"]
    for side, runs in results.items():
        each = [result.rate for result in runs]
        processor = median(result.processor_rate for result in runs)
        spread = f"{median_rate(runs):>10.0f}{min(each):>10.0f}{max(each):>10.0f}"
        lines.append(f"{side:<16}{spread}{processor:>14.0f}")
    return "\n".join(lines)


def parse(pair: Pair) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=pair.description)
    parser.add_argument("--records", type=int, default=pair.records, help="Best a multiple of 10 000.")
    parser.add_argument("--rounds", type=int, default=pair.rounds)
    parser.add_argument("--json", action="store_true", help="Print the figures as the last line.")
    return parser.parse_args()
