"""What the overview, the list of shards and the review of a rewind cost with 10 000 shards.

    python -m benchmarks.admin [--shards N] [--history N] [--rounds N] [--json]

Takes PostgreSQL (DATABASE_URL), or starts it; see docs/benchmarks.md.
"""

import argparse
import json
import os
import uuid

import django

from benchmarks.database import scratch_database
from benchmarks.servers import servers


def main() -> None:
    """Measure and print; the JSON object comes last."""
    arguments = parse()
    name = f"streamapp_benchmark_{uuid.uuid4().hex[:8]}"
    os.environ["DJANGO_SETTINGS_MODULE"] = "benchmarks.admin.settings"
    with servers({"postgres": "DATABASE_URL"}), scratch_database(name) as version:
        print(f"{arguments.shards} shards, {arguments.history} rows of history, PostgreSQL {version}")
        django.setup()
        from django.core.management import call_command

        from benchmarks.admin.pages import measure
        from benchmarks.admin.rows import seed

        call_command("migrate", verbosity=0)
        seed(arguments.shards, arguments.history)
        figures = measure(arguments.rounds)
    for page, figure in figures.items():
        spent = f"{figure.milliseconds:>8.0f} ms{figure.processor_milliseconds:>8.0f} ms on the processor"
        print(f"{page:<14}{spent}{figure.queries:>5} queries{figure.kilobytes:>7.0f} kB")
    if arguments.json:
        print(json.dumps(line(figures)))


def line(figures: dict) -> dict[str, object]:  # type: ignore[type-arg]
    """Return the object that `--json` prints: of the three pages that have a bound."""
    bound = {page: figures[page] for page in ("overview", "list", "review")}
    return {
        "benchmark": "admin",
        "ms": {page: round(figure.milliseconds, 1) for page, figure in bound.items()},
        "queries": {page: figure.queries for page, figure in bound.items()},
    }


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Measure the operator's pages on large tables.")
    parser.add_argument("--shards", type=int, default=10_000)
    parser.add_argument("--history", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json", action="store_true", help="Print the figures as the last line.")
    return parser.parse_args()


if __name__ == "__main__":
    main()
