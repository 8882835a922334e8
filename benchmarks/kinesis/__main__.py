"""How fast streamapp reads Kinesis, beside a bare loop over boto3, on moto.

    python -m benchmarks.kinesis [--records N] [--rounds N] [--json]

Takes moto (MOTO_ENDPOINT_URL) and PostgreSQL (DATABASE_URL), or starts them; see docs/benchmarks.md.
"""

import argparse
import json
import time
import uuid
from statistics import median
from typing import Any

from benchmarks.database import scratch_database
from benchmarks.kinesis.stream import Stream, stream
from benchmarks.report import rates_of, table
from benchmarks.run import BARE, Result, Run, answer, measure
from benchmarks.servers import servers

OURS = "ours"
MODULES = {BARE: "benchmarks.kinesis.bare", OURS: "benchmarks.kinesis.ours"}
SERVERS = {"moto": "MOTO_ENDPOINT_URL", "postgres": "DATABASE_URL"}
STARTS = 3
THOUSAND_RECORDS = 500_000


def rounds(filled: Stream, records: int, count: int) -> dict[str, list[Result]]:
    """Measure both sides in turn, in each round the other one first."""
    results: dict[str, list[Result]] = {BARE: [], OURS: []}
    for number in range(count):
        for side in (BARE, OURS) if number % 2 == 0 else (OURS, BARE):
            run = Run(side, f"{filled.name}-{number}", filled.name, records)
            results[side].append(measure(run, MODULES[side]))
            print(f"round {number + 1}, {side}: {results[side][-1].rate:.0f} records a second", flush=True)
    return results


def first_records(name: str) -> dict[str, float]:
    """Measure from the start of a process to its first record, without leases and with those that it left."""
    seconds: dict[str, list[float]] = {"no leases": [], "existing leases": []}
    with stream(name, 0) as empty:
        for number in range(STARTS):
            for kind, each in seconds.items():
                empty.fill(4)
                begun = time.monotonic()
                first = measure(Run(OURS, f"{name}-{number}", name, 1), MODULES[OURS]).moments[-1]
                each.append(first.seconds - begun)
                busy = f"{first.processor_seconds:.2f} s of them busy"
                print(f"start {number + 1}, {kind}: first record after {each[-1]:.2f} s, {busy}", flush=True)
    return {kind: median(each) for kind, each in seconds.items()}


def thousand(name: str) -> dict[str, Any]:
    """Read a thousand shards with one worker and return what was seen."""
    seen = answer(Run("thousand", name, name, THOUSAND_RECORDS), "benchmarks.kinesis.thousand")
    print("1000 shards: " + ", ".join(f"{what} {figure:.4g}" for what, figure in seen.items()))
    return seen


def main() -> None:
    """Measure and print; the JSON object comes last."""
    arguments = parse()
    name = f"streamapp_benchmark_{uuid.uuid4().hex[:8]}"
    with servers(SERVERS), scratch_database(name) as version:
        print(f"{arguments.records} records, {arguments.rounds} rounds, checkpoints in PostgreSQL {version}")
        seen, starts = thousand(f"{name}-thousand"), first_records(f"{name}-first")
        with stream(name, arguments.records) as filled:
            results = rounds(filled, arguments.records, arguments.rounds)
    print(table(results))
    if arguments.json:
        print(json.dumps(figures(results, max(starts.values()), seen["threads"])))


def figures(results: dict[str, list[Result]], seconds: float, threads: int) -> dict[str, object]:
    """Return the object that `--json` prints."""
    rates = rates_of(results)
    return {
        "benchmark": "kinesis",
        "rates": {side: round(rate) for side, rate in rates.items()},
        "ratios": {"vs_bare": round(rates[OURS] / rates[BARE], 3)},
        "seconds_to_first_record": round(seconds, 2),
        "threads_at_1000_shards": threads,
    }


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure streamapp on Kinesis beside a bare loop.")
    parser.add_argument("--records", type=int, default=100_000, help="Best a multiple of 10 000.")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--json", action="store_true", help="Print the figures as the last line.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
