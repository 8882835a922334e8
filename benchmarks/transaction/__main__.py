"""What it costs that a checkpoint is written in the handler's transaction.

    python -m benchmarks.transaction [--records N] [--rounds N] [--json]

Takes Kafka (KAFKA_BOOTSTRAP_SERVERS) and PostgreSQL (DATABASE_URL), or starts them; see docs/benchmarks.md.
"""

from benchmarks.pair import Pair, compare

PAIR = Pair(
    benchmark="transaction",
    base="own",
    other="exactly_once",
    ratio="exactly_once_vs_own",
    module="benchmarks.transaction.ours",
    description="Measure exactly-once beside a handler's own transactions.",
    records=100_000,
    rounds=4,
)

if __name__ == "__main__":
    compare(PAIR)
