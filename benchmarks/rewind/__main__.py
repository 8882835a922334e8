"""From applying a rewind to the first record that comes again, on four workers under traffic.

    python -m benchmarks.rewind [--rewinds N] [--json]

Takes Kafka (KAFKA_BOOTSTRAP_SERVERS) and PostgreSQL (DATABASE_URL), or starts them; see docs/benchmarks.md.
"""

import argparse
import json
import os
import uuid
from statistics import median

from benchmarks.database import scratch_database
from benchmarks.kafka.topic import delete_groups, filled_topic
from benchmarks.rewind.crew import WORKERS, Crew
from benchmarks.run import Run
from benchmarks.servers import servers

NOTIFY, POLL = "notify", "poll"
SERVERS = {"kafka": "KAFKA_BOOTSTRAP_SERVERS", "postgres": "DATABASE_URL"}
RECORDS = 4000


def main() -> None:
    """Measure both sides and print; the JSON object comes last."""
    arguments = parse()
    name = f"streamapp_benchmark_{uuid.uuid4().hex[:8]}"
    with servers(SERVERS), scratch_database(name) as version:
        print(f"{arguments.rewinds} rewinds a side, {WORKERS} workers, PostgreSQL {version}")
        with filled_topic(os.environ["KAFKA_BOOTSTRAP_SERVERS"], name, RECORDS, WORKERS) as admin:
            runs = {side: Run(side, f"{name}-{side}", name, RECORDS) for side in (NOTIFY, POLL)}
            try:
                seconds = {side: measured(run, arguments.rewinds) for side, run in runs.items()}
            finally:
                delete_groups(admin, [run.name for run in runs.values()])
    for side, found in seconds.items():
        print(
            f"{side:<8} median {median(found):.3f} s, {min(found):.3f} to {max(found):.3f} s of {len(found)}"
        )
    if arguments.json:
        medians = {side: round(1000 * median(found)) for side, found in seconds.items()}
        print(json.dumps({"benchmark": "rewind", "median_ms": medians}))


def measured(run: Run, rewinds: int) -> list[float]:
    """Return the seconds of every rewind and shard."""
    crew = Crew(run)
    try:
        crew.start()
        return [seconds for _ in range(rewinds) for seconds in crew.rewind()]
    finally:
        crew.close()


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure how soon a rewind reaches the handlers.")
    parser.add_argument("--rewinds", type=int, default=25)
    parser.add_argument("--json", action="store_true", help="Print the figures as the last line.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
