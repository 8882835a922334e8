"""A rewind as it is reviewed: per shard where it stands, where it would stand, and what that means."""

import shlex
from collections import Counter
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from django.core import signing

from streamapp.exceptions import StalePlan
from streamapp.services.wording import amount, span

SALT = "streamapp.rewind.plan"
KEPT_SECONDS = 3600


class Flag(StrEnum):
    """What an operator should know of one shard before applying."""

    BEYOND_RETENTION = "not kept any more: moved to the oldest record"
    BEYOND_END = "behind the end of the log: moved to the end"
    UNCHANGED = "already there"
    HOLDING = "holds records: all from the new position on comes again"
    UNREAD = "read by no live worker"
    UNKNOWN = "bounds not known to the broker"


@dataclass(frozen=True, slots=True)
class Line:
    """One shard of a plan. `between` counts the records from old to new: negative are read again.

    It is None where the broker's positions don't count records. `held` counts the held records: with
    any, records behind the checkpoint were handled already and come again too. `revision` is the one
    reviewed. `old_described` and `new_described` are the positions as their broker writes them.
    """

    checkpoint: int
    shard: str
    old: int
    new: int
    old_described: str
    new_described: str
    between: int | None
    flags: tuple[Flag, ...]
    revision: int
    held: int = 0

    @property
    def effect(self) -> str:
        """Say what happens to the records between, in words."""
        if self.held:
            return self._effect_while_holding()
        if self.old == self.new:
            return "nothing moves"
        again = self.new < self.old
        if self.between is None:
            return "records are read again" if again else "records are skipped"
        return f"{amount(abs(self.between), 'record')} {'read again' if again else 'skipped'}"

    def _effect_while_holding(self) -> str:
        counted = "" if self.between is None else f"at most {amount(abs(self.between), 'record')} "
        parts = [f"{counted or 'records are '}skipped"] if self.new > self.old else []
        parts += [f"all from {self.new_described} on read again"] if Flag.HOLDING in self.flags else []
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Plan:
    """What a rewind will write, fixed as numbers: applying it writes these and nothing else.

    `staying` counts the shards that were chosen and that the position doesn't name. `whole` tells
    that the scope was every shard of the subscription. `broker` is the alias of its broker.
    """

    subscription: str
    subscription_id: int
    broker: str
    target: str
    whole: bool
    staying: int
    lines: tuple[Line, ...]

    @property
    def effect(self) -> str:
        """Sum up what happens to records, in words, and where the sum is a minimum."""
        holding = sum(Flag.HOLDING in line.flags for line in self.lines)
        return f"{self._counts()} {_minimum(holding)}" if holding else self._counts()

    def _counts(self) -> str:
        if any(line.between is None for line in self.lines):
            return "The number of records is not known."
        again = sum(-line.between for line in self.lines if line.between and line.between < 0)
        skipped = sum(line.between for line in self.lines if line.between and line.between > 0)
        return f"{amount(again, 'record')} read again, {amount(skipped, 'record')} skipped."

    @property
    def scope(self) -> str:
        """Say how many shards move."""
        return amount(len(self.lines), "shard")

    @property
    def notes(self) -> list[str]:
        """Say of how many shards each flag is true."""
        counts = Counter(flag for line in self.lines for flag in line.flags)
        return [f"{amount(count, 'shard')}: {flag.value}" for flag, count in counts.items()]

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain values."""
        return asdict(self)

    @staticmethod
    def from_json(values: dict[str, Any]) -> "Plan":
        """Make the plan again from what `to_json` returned."""
        lines = (Line(**{**line, "flags": tuple(map(Flag, line["flags"]))}) for line in values["lines"])
        return Plan(**{**values, "lines": tuple(lines)})

    def sign(self) -> str:
        """Return the plan as text that `unsign` accepts for an hour and nobody can change."""
        return signing.dumps(self.to_json(), salt=SALT, compress=True)

    @staticmethod
    def unsign(text: str) -> "Plan":
        """Return the plan that was signed; StalePlan if it is too old or was changed."""
        try:
            return Plan.from_json(signing.loads(text, salt=SALT, max_age=KEPT_SECONDS))
        except signing.SignatureExpired as error:
            raise StalePlan(f"The review is older than {span(KEPT_SECONDS)}. Review again.") from error
        except signing.BadSignature as error:
            raise StalePlan("The reviewed plan arrived changed or cut. Review again.") from error

    def command(self, reason: str = "") -> str:
        """Return the command line that does the same."""
        words = ["manage.py", "streams", "rewind", self.subscription, self.target]
        words += [] if self.whole else [word for line in self.lines for word in ("--shard", line.shard)]
        words += ["--reason", reason] if reason else []
        return f"python {shlex.join(words)} --execute"


def _minimum(holding: int) -> str:
    hold, behind = ("holds", "there") if holding == 1 else ("hold", "on each")
    return (
        f"{amount(holding, 'shard')} {hold} records: what was handled behind them comes again too, "
        f"so the count {behind} is a minimum."
    )
