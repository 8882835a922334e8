"""The figures of a soak, and whether it has passed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil

LEAST = {
    "kills": 20,
    "takeovers": 10,
    "rebalances": 10,
    "fenced saves": 5,
    "delayed copies handled": 10,
    "dead letters": 10,
}
"""Fewer of these in ten minutes and the soak proves little, so it fails."""
USUAL_SECONDS = 600
MOST_NAMED = 10


@dataclass
class Report:
    """What happened, and what was found to be wrong, by kind."""

    seconds: float
    figures: dict[str, object] = field(default_factory=dict)
    faults: dict[str, list[str]] = field(default_factory=dict)

    def lacking(self) -> list[str]:
        """Return what there was too little of, scaled to the length of the soak."""
        least = {name: ceil(count * self.seconds / USUAL_SECONDS) for name, count in LEAST.items()}
        return [
            f"{name}: {self.figures.get(name, 0)}, wanted at least {count}"
            for name, count in least.items()
            if int(str(self.figures.get(name, 0))) < count
        ]

    @property
    def has_passed(self) -> bool:
        """Tell whether nothing was wrong and enough has happened."""
        return not any(self.faults.values()) and not self.lacking()

    def as_json(self) -> str:
        """Return everything as one line for programs."""
        counts = {name: len(named) for name, named in self.faults.items()}
        named = {name: named[:MOST_NAMED] for name, named in self.faults.items() if named}
        whole = {
            "passed": self.has_passed,
            **self.figures,
            **counts,
            "named": named,
            "lacking": self.lacking(),
        }
        return json.dumps(whole)

    def as_table(self) -> str:
        """Return everything for people: figures, then what was wrong."""
        lines = [*_rows(self.figures), *_rows({name: len(named) for name, named in self.faults.items()})]
        for name, named in self.faults.items():
            lines += [f"{name}: {each}" for each in named[:MOST_NAMED]]
        lines += [f"too few {lack}" for lack in self.lacking()]
        return "\n".join([*lines, "passed" if self.has_passed else "FAILED"])


def _rows(figures: Mapping[str, object]) -> list[str]:
    return [f"{name:<24}{figure:>12}" for name, figure in figures.items()]
