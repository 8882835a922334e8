"""Which shards an operator has ticked, out of maybe ten thousand, page by page."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from streamapp.conf import configuration
from streamapp.models import Checkpoint

ALL, NONE = "", "-"


def present(subscription: str) -> QuerySet[Checkpoint]:
    """Return the checkpoints of a subscription whose shards haven't left their streams, in order."""
    rows = Checkpoint.objects.using(configuration().DATABASE).filter(subscription__name=subscription)
    return rows.filter(retired_at=None).order_by("stream", "id")


def found(subscription: str, stream: str, text: str) -> QuerySet[Checkpoint]:
    """Narrow them to a stream, and to shards whose name has the text in it."""
    rows = present(subscription)
    rows = rows.filter(stream=stream) if stream else rows
    return rows.filter(Q(shard__icontains=text) | Q(stream__icontains=text)) if text else rows


@dataclass(frozen=True, slots=True)
class Selection:
    """The ticked ones among all row ids."""

    every: frozenset[int]
    ticked: frozenset[int]

    @classmethod
    def read(cls, text: str, every: Iterable[int]) -> "Selection":
        """Make it from what `write` returned. Raises ValueError for anything else."""
        rows = frozenset(every)
        if text in (ALL, NONE):
            return cls(rows, rows if text == ALL else frozenset())
        return cls(rows, rows & frozenset(map(int, text.split(","))))

    def write(self) -> str:
        """Return it as text: nothing for all, so that the usual case is short."""
        if self.ticked == self.every:
            return ALL
        return ",".join(map(str, sorted(self.ticked))) or NONE

    def seen(self, shown: Collection[int], ticked: Collection[int]) -> "Selection":
        """Follow the ticks of a page; what it didn't show stays as it is."""
        return Selection(self.every, (self.ticked - frozenset(shown)) | (frozenset(ticked) & self.every))

    def only(self, rows: Iterable[int]) -> "Selection":
        """Tick these and nothing else."""
        return Selection(self.every, self.every & frozenset(rows))

    def more(self, rows: Iterable[int]) -> "Selection":
        """Tick these too."""
        return Selection(self.every, self.ticked | (self.every & frozenset(rows)))

    def less(self, rows: Iterable[int]) -> "Selection":
        """Untick these."""
        return Selection(self.every, self.ticked - frozenset(rows))
