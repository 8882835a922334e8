"""What leases of 10 000 shards cost on ten workers, and how soon a dead worker's are taken.

    python -m benchmarks.leases [--shards N] [--workers N] [--deaths N] [--json]

Takes PostgreSQL (DATABASE_URL), or starts it; see docs/benchmarks.md.
"""

import argparse
import json
import time
import uuid

from benchmarks.database import scratch_database
from benchmarks.leases.fleet import INTERVAL_SECONDS, Fleet
from benchmarks.servers import servers

STEADY_INTERVALS = 10


def main() -> None:
    """Measure and print; the JSON object comes last."""
    arguments = parse()
    name = f"streamapp_benchmark_{uuid.uuid4().hex[:8]}"
    with servers({"postgres": "DATABASE_URL"}), scratch_database(name) as version:
        print(f"{arguments.shards} shards, {arguments.workers} workers, PostgreSQL {version}")
        fleet = Fleet(name, arguments.shards, arguments.workers)
        try:
            print(f"Even shares {fleet.start():.1f} s after the first one", flush=True)
            first = time.time()
            time.sleep(STEADY_INTERVALS * INTERVAL_SECONDS)
            last = time.time()
            intervals = [reassigned(fleet) for _ in range(arguments.deaths)]
            updates = fleet.end()
        finally:
            fleet.close()
    renewals = [sum(first <= at < last and rows > 0 for at, _, rows in each) for each in updates]
    print(f"UPDATEs of heartbeats and leases by each worker in {STEADY_INTERVALS} intervals: {renewals}")
    if arguments.json:
        print(json.dumps(figures(max(renewals) / STEADY_INTERVALS, max(intervals))))


def reassigned(fleet: Fleet) -> float:
    """Kill a worker and return after how many intervals behind its TTL all of its shards were taken."""
    seconds = fleet.kill_one()
    print(f"All shards of a dead worker taken {seconds:.2f} s after its TTL", flush=True)
    return seconds / INTERVAL_SECONDS


def figures(updates: float, intervals: float) -> dict[str, object]:
    """Return the object that `--json` prints: of the worker, and of the death, with the highest figure."""
    return {
        "benchmark": "leases",
        "updates_per_worker_interval": round(updates, 2),
        "intervals_to_reassign": round(intervals, 2),
    }


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure leases of many shards.")
    parser.add_argument("--shards", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=10)
    parser.add_argument("--deaths", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="Print the figures as the last line.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
