"""A rewind as it is reviewed: per shard where it stands, where it would stand, and what that means."""

import shlex
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

from django.core import signing

from streamapp.exceptions import StalePlan
from streamapp.positions import SHARD_END
from streamapp.services.flags import Flag
from streamapp.services.places import described, is_before
from streamapp.services.wording import amount, span

__all__ = ["Flag", "Left", "Line", "Plan"]

SALT = "streamapp.rewind.plan"
KEPT_SECONDS = 3600
LARGE_RECORDS, LARGE_SHARDS = 1_000_000, 100


class Line(NamedTuple):
    """One shard of a plan. `between` counts the records from old to new: negative are read again.

    It is None where the broker's positions don't count records. `held` counts the held records: with
    any, records behind the checkpoint were handled already and come again too. `revision` is the one
    reviewed. A tuple of plain values, because ten thousand of them travel in one form.
    """

    checkpoint: int
    shard: str
    old: int
    new: int
    between: int | None
    flags: tuple[Flag, ...]
    revision: int
    held: int = 0

    def effect(self, broker: str) -> str:
        """Say what happens to the records between, in words; positions as the broker writes them."""
        if self.held and self.new != SHARD_END:
            return self._effect_while_holding(broker)
        if self.old == self.new:
            return "nothing moves"
        if self.new == SHARD_END:
            return "the rest of it is skipped"
        again = is_before(broker, self.new, self.old)
        if again is None:
            return "read from that moment on"
        if self.between is None:
            return "records are read again" if again else "records are skipped"
        return f"{amount(abs(self.between), 'record')} {'read again' if again else 'skipped'}"

    def _effect_while_holding(self, broker: str) -> str:
        counted = "" if self.between is None else f"at most {amount(abs(self.between), 'record')} "
        parts = [f"{counted or 'records are '}skipped"] if is_before(broker, self.old, self.new) else []
        again = f"all from {described(broker, self.new)} on read again"
        return ", ".join([*parts, *[again] * (Flag.HOLDING in self.flags)])

    def to_json(self, broker: str) -> dict[str, Any]:
        """Return it as plain values, with its positions as the broker writes them."""
        places = {"old_described": described(broker, self.old), "new_described": described(broker, self.new)}
        return {**self._asdict(), **places}

    @classmethod
    def unpack(cls, values: list[Any]) -> "Line":
        """Make it again of what a form brought."""
        line = cls(*values)
        return line._replace(flags=tuple(map(Flag, line.flags)))


@dataclass(frozen=True, slots=True)
class Left:
    """A chosen shard that stays where it is, and why."""

    shard: str
    flag: Flag


@dataclass(frozen=True, slots=True)
class Plan:
    """What a rewind will write, fixed as numbers: applying it writes these and nothing else.

    `reviewed_at` is when its rows were read, by the clock of the database. `staying` counts the shards
    that were chosen and that the position doesn't name; `left` are those that it can't move, and why.
    `whole` tells that the scope was every shard of the subscription, else `chosen` has the ids of their
    checkpoints. `broker` is the alias of its broker. `asked` is the target as plain values, `words` what
    the command line takes for it, `echo` its moment in two zones. `replay_from` is the position that is
    mounted under that name, if any. `undoes` is a rewind's number.
    """

    subscription: str
    subscription_id: int
    broker: str
    reviewed_at: str
    target: str
    whole: bool
    staying: int
    lines: tuple[Line, ...]
    left: tuple[Left, ...] = ()
    chosen: tuple[int, ...] = ()
    asked: tuple[Any, ...] = ()
    words: tuple[str, ...] = ()
    echo: str = ""
    replay_from: str = ""
    undoes: int | None = None

    @property
    def effect(self) -> str:
        """Sum up what happens to records, in words, and where the sum is a minimum."""
        holding = sum(Flag.HOLDING in line.flags for line in self.lines)
        return f"{self._counts()} {_minimum(holding)}" if holding else self._counts()

    def _counts(self) -> str:
        if any(line.between is None for line in self.lines):
            return "The number of records is not known."
        return f"{amount(self._again, 'record')} read again, {amount(self._skipped, 'record')} skipped."

    @property
    def _again(self) -> int:
        return sum(-line.between for line in self.lines if line.between and line.between < 0)

    @property
    def _skipped(self) -> int:
        return sum(line.between for line in self.lines if line.between and line.between > 0)

    @property
    def is_large(self) -> bool:
        """Tell whether it moves more than a million records or a hundred shards."""
        return len(self.lines) > LARGE_SHARDS or self._again + self._skipped > LARGE_RECORDS

    @property
    def scope(self) -> str:
        """Say how many shards move."""
        return amount(len(self.lines), "shard")

    @property
    def notes(self) -> list[str]:
        """Say of how many shards each flag is true, and what the settings add to it."""
        flags = [flag for line in self.lines for flag in line.flags]
        notes = [f"{amount(count, 'shard')}: {flag.value}" for flag, count in Counter(flags).items()]
        stay = Counter(left.flag for left in self.left)
        notes += [f"{amount(count, 'shard')} left alone: {flag.value}" for flag, count in stay.items()]
        return [*notes, *self.remarks]

    @property
    def remarks(self) -> list[str]:
        """Say what the settings add to it."""
        if not self.replay_from:
            return []
        return [
            f"REPLAY_FROM is mounted as {self.replay_from}: once a worker has read from here, every later "
            "start begins there again"
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the plan as plain values."""
        return {**self._bare(), "lines": [line.to_json(self.broker) for line in self.lines]}

    def sign(self) -> str:
        """Return the plan as text that `unsign` accepts for an hour and nobody can change."""
        return signing.dumps({**self._bare(), "lines": self.lines}, salt=SALT, compress=True)

    def _bare(self) -> dict[str, Any]:
        return asdict(replace(self, lines=()))

    @staticmethod
    def unsign(text: str) -> "Plan":
        """Return the plan that was signed; StalePlan if it is too old or was changed."""
        try:
            return _made(signing.loads(text, salt=SALT, max_age=KEPT_SECONDS))
        except signing.SignatureExpired as error:
            raise StalePlan(f"The review is older than {span(KEPT_SECONDS)}. Review again.") from error
        except signing.BadSignature as error:
            raise StalePlan("The reviewed plan arrived changed or cut. Review again.") from error

    def command(self, reason: str = "") -> str:
        """Return the command line that does the same."""
        words = ["manage.py", "streams", *self._command_words()]
        words += ["--reason", reason] if reason else []
        return f"python {shlex.join(words)} --execute"

    def _command_words(self) -> Iterable[str]:
        if self.undoes is not None:
            return ("undo", *self.words)
        some = () if self.whole else [word for line in self.lines for word in ("--shard", line.shard)]
        return ("rewind", self.subscription, *self.words, *some)


def _made(values: dict[str, Any]) -> Plan:
    lines = tuple(map(Line.unpack, values.pop("lines")))
    left = tuple(Left(each["shard"], Flag(each["flag"])) for each in values.pop("left"))
    several = {name: _frozen(values.pop(name)) for name in ("chosen", "asked", "words")}
    return Plan(**values, **several, lines=lines, left=left)


def _frozen(values: Any) -> Any:
    """Return what lists were before they travelled: tuples, all the way down."""
    return tuple(map(_frozen, values)) if isinstance(values, list) else values


def _minimum(holding: int) -> str:
    hold, behind = ("holds", "there") if holding == 1 else ("hold", "on each")
    return (
        f"{amount(holding, 'shard')} {hold} records: what was handled behind them comes again too, "
        f"so the count {behind} is a minimum."
    )
