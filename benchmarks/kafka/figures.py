"""What only the measurement of Kafka tells."""

from collections.abc import Mapping, Sequence

from benchmarks.kafka.topic import PARTITIONS
from benchmarks.report import Results, rates_of
from benchmarks.run import BARE, Result


def updates_per_shard_second(long: Sequence[Result]) -> float:
    """Return how often a checkpoint row was written each second while records came, at worst."""
    return max(_update_rate(result) for result in long)


def growth_mb(long: Sequence[Result]) -> float:
    """Return how much more memory a process held after the last pass than after the first, at worst."""
    return max(result.memory[-1] - result.memory[0] for result in long)


def figures(results: Results, long: Sequence[Result]) -> dict[str, object]:
    """Return the object that `--json` prints."""
    rates = rates_of(results)
    return {
        "benchmark": "kafka",
        "rates": {side: round(rate) for side, rate in rates.items()},
        "ratios": {f"{side}_vs_bare": round(rates[side] / rates[BARE], 3) for side in ("batch", "record")},
        "updates_per_shard_second": round(updates_per_shard_second(long), 2),
        "rss_growth_mb": round(growth_mb(long), 1),
    }


def memory(long: Mapping[str, Result]) -> str:
    """Return the memory after each pass as lines."""
    return "\n".join(
        f"{side:<28}" + " ".join(f"{megabytes:.0f}" for megabytes in result.memory) + " MB"
        for side, result in long.items()
    )


def _update_rate(result: Result) -> float:
    """Count the intervals between writes: a window of ten seconds may well hold eleven of them."""
    first, last = result.moments[0].seconds, result.moments[-2].seconds
    within = [moment for moment in result.updates if first <= moment <= last]
    rounds = len(within) / PARTITIONS - 1
    return rounds / (within[-1] - within[0]) if rounds > 0 else 0.0
