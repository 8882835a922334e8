"""What it costs that retries, copies and dead letters are mounted, while nothing fails.

    python -m benchmarks.retry [--records N] [--rounds N] [--json]

Takes Kafka (KAFKA_BOOTSTRAP_SERVERS) and PostgreSQL (DATABASE_URL), or starts them; see docs/benchmarks.md.
"""

from benchmarks.pair import Pair, compare

PAIR = Pair(
    benchmark="retry",
    base="without",
    other="with_policy",
    ratio="with_policy_vs_without",
    module="benchmarks.retry.ours",
    description="Measure a mounted ladder beside none, while nothing fails.",
    records=300_000,
    rounds=6,
)

if __name__ == "__main__":
    compare(PAIR)
