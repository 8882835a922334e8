"""How fast streamapp reads Kafka, beside a bare loop over the client library.

    python -m benchmarks.kafka [--records N] [--rounds N] [--json]

Needs KAFKA_BOOTSTRAP_SERVERS and DATABASE_URL (PostgreSQL); see docs/benchmarks.md.
"""

import argparse
import json
import os
import uuid
from random import Random

from benchmarks.database import scratch_database
from benchmarks.kafka.figures import figures, memory
from benchmarks.kafka.topic import delete_groups, filled_topic
from benchmarks.report import table
from benchmarks.run import BARE, Result, Run, measure

SIDES = (BARE, "batch", "record", "record_handler_transaction")
LONG_SIDES = ("batch_again", "record_again")
MODULES = dict.fromkeys((*SIDES, *LONG_SIDES), "benchmarks.kafka.ours") | {BARE: "benchmarks.kafka.bare"}
LONG_PASSES = 8
FEWER = 20
"""A transaction a record is so much slower that a part of the records is enough for its rate."""


class Measurement:
    """All runs over one topic."""

    def __init__(self, topic: str, records: int, rounds: int) -> None:
        self.groups: list[str] = []
        self._topic = topic
        self._records = records
        self._rounds = rounds

    def rounds(self) -> dict[str, list[Result]]:
        """Measure every side once a round, so that a slow minute of the machine hits all of them.

        The order is drawn, the same in every run: what a side leaves behind slows all others in turn.
        """
        results: dict[str, list[Result]] = {side: [] for side in SIDES}
        for number in range(1, self._rounds + 1):
            for side in Random(number).sample(SIDES, len(SIDES)):
                fewer = FEWER if side == "record_handler_transaction" else 1
                results[side].append(self._run(side, self._records // fewer))
                print(f"round {number}, {side}: {results[side][-1].rate:.0f} records a second", flush=True)
        return results

    def long(self) -> dict[str, Result]:
        """Read the topic again and again, for memory and for the number of writes."""
        return {side: self._run(side, self._records, LONG_PASSES) for side in LONG_SIDES}

    def _run(self, side: str, records: int, passes: int = 1) -> Result:
        name = f"{self._topic}-{len(self.groups)}"
        self.groups.append(name)
        return measure(Run(side, name, self._topic, records, passes), MODULES[side])


def main() -> None:
    """Measure and print; the JSON object comes last."""
    arguments = parse()
    name = f"streamapp_benchmark_{uuid.uuid4().hex[:8]}"
    servers = os.environ["KAFKA_BOOTSTRAP_SERVERS"]
    measurement = Measurement(name, arguments.records, arguments.rounds)
    with scratch_database(name) as version, filled_topic(servers, name, arguments.records) as admin:
        print(f"{arguments.records} records, {arguments.rounds} rounds, checkpoints in PostgreSQL {version}")
        try:
            results, long = measurement.rounds(), measurement.long()
        finally:
            delete_groups(admin, measurement.groups)
    found = figures(results, list(long.values()))
    print(table(results), "Memory after each pass:", memory(long), sep="\n")
    print(f"Checkpoint rows written a shard and second: {found['updates_per_shard_second']}")
    if arguments.json:
        print(json.dumps(found))


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure streamapp on Kafka beside a bare loop.")
    parser.add_argument("--records", type=int, default=300_000, help="Best a multiple of 10 000.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="Print the figures as the last line.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
