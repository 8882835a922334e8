"""What it costs that retries, copies and dead letters are mounted, while nothing fails.

    python -m benchmarks.retry [--records N] [--rounds N] [--json]

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

WITHOUT, WITH = "without", "with_policy"
SERVERS = {"kafka": "KAFKA_BOOTSTRAP_SERVERS", "postgres": "DATABASE_URL"}


class Measurement:
    """All runs over one topic, a group each."""

    def __init__(self, topic: str, records: int) -> None:
        self.groups: list[str] = []
        self._topic = topic
        self._records = records

    def rounds(self, count: int) -> dict[str, list[Result]]:
        """Measure both sides in turn, in each round the other one first."""
        results: dict[str, list[Result]] = {WITHOUT: [], WITH: []}
        for number in range(count):
            for side in (WITHOUT, WITH) if number % 2 == 0 else (WITH, WITHOUT):
                results[side].append(self._run(side))
                rate = results[side][-1].rate
                print(f"round {number + 1}, {side}: {rate:.0f} records a second", flush=True)
        return results

    def _run(self, side: str) -> Result:
        self.groups.append(f"{self._topic}-{len(self.groups)}")
        run = Run(side, self.groups[-1], self._topic, self._records)
        return measure(run, "benchmarks.retry.ours")


def main() -> None:
    """Measure and print; the JSON object comes last."""
    arguments = parse()
    name = f"streamapp_benchmark_{uuid.uuid4().hex[:8]}"
    with servers(SERVERS), scratch_database(name) as version:
        print(f"{arguments.records} records, {arguments.rounds} rounds, PostgreSQL {version}")
        measurement = Measurement(name, arguments.records)
        with filled_topic(os.environ["KAFKA_BOOTSTRAP_SERVERS"], name, arguments.records) as admin:
            try:
                results = measurement.rounds(arguments.rounds)
            finally:
                delete_groups(admin, measurement.groups)
    print(table(results))
    if arguments.json:
        print(json.dumps({"benchmark": "retry", "ratios": {"with_policy_vs_without": ratio(results)}}))


def ratio(results: dict[str, list[Result]]) -> float:
    """Return the median rate with a policy, of that without."""
    rates = {side: median(result.rate for result in runs) for side, runs in results.items()}
    return round(rates[WITH] / rates[WITHOUT], 3)


def table(results: dict[str, list[Result]]) -> str:
    """Return medians and spread as lines."""
    lines = [f"{'side':<16}{'median/s':>10}{'lowest':>10}{'highest':>10}{'a CPU second':>14}"]
    for side, runs in results.items():
        each = [result.rate for result in runs]
        processor = median(result.processor_rate for result in runs)
        spread = f"{median(each):>10.0f}{min(each):>10.0f}{max(each):>10.0f}"
        lines.append(f"{side:<16}{spread}{processor:>14.0f}")
    return "\n".join(lines)


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure a mounted ladder beside none, while nothing fails.")
    parser.add_argument("--records", type=int, default=300_000, help="Best a multiple of 10 000.")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--json", action="store_true", help="Print the figures as the last line.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
