"""From results to figures for people."""

from collections.abc import Mapping, Sequence
from statistics import median

from benchmarks.run import BARE, Result

Results = Mapping[str, Sequence[Result]]


def rates_of(results: Results) -> dict[str, float]:
    """Return the median rate of each side, in records a second."""
    return {side: median(result.rate for result in runs) for side, runs in results.items()}


def table(results: Results) -> str:
    """Return medians, spread and ratios as lines."""
    bare = rates_of(results)[BARE]
    lines = [f"{'side':<28}{'median/s':>10}{'lowest':>10}{'highest':>10}{'of bare':>9}{'a CPU second':>14}"]
    for side, rate in rates_of(results).items():
        each = [result.rate for result in results[side]]
        processor = median(result.processor_rate for result in results[side])
        spread = f"{min(each):>10.0f}{max(each):>10.0f}"
        lines.append(f"{side:<28}{rate:>10.0f}{spread}{rate / bare:>9.2f}{processor:>14.0f}")
    return "\n".join(lines)
