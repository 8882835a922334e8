"""What all workers of a test were given, in order."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from tests.contract.moving.worker import Calls


@dataclass(frozen=True, slots=True)
class Call:
    """One delivery: whose, of which shard, and the record `key:number`."""

    worker: int
    shard: str
    value: str


class Journal:
    """All calls of all workers."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    @property
    def values(self) -> list[str]:
        return [call.value for call in self.calls]

    @property
    def shards(self) -> list[str]:
        """The shards in the order of their first records."""
        return list(dict.fromkeys(call.shard for call in self.calls))

    def of(self, shard: Any) -> list[str]:
        return [call.value for call in self.calls if call.shard == shard.id]

    def repeated(self) -> list[str]:
        return [value for value, count in Counter(self.values).items() if count > 1]

    def by_key(self) -> dict[str, list[int]]:
        """The numbers of each key's records, in the order in which they were handled."""
        numbers = defaultdict(list)
        for key, _, number in (value.partition(":") for value in self.values):
            numbers[key].append(int(number))
        return numbers

    def is_in_order(self) -> bool:
        return all(numbers == sorted(numbers) for numbers in self.by_key().values())

    def is_after(self, child: Any, parent: Any) -> bool:
        """Tell whether no record of a child was handled before the last one of its parent."""
        places = [(index, call.shard) for index, call in enumerate(self.calls)]
        last = max((index for index, shard in places if shard == parent.id), default=-1)
        return all(index > last for index, shard in places if shard == child.id)


class JournalCalls(Calls):
    """A handler that writes into the journal."""

    def __init__(self, journal: Journal, worker: int) -> None:
        super().__init__()
        self._journal = journal
        self._worker = worker

    def record(self, value: str, ctx: Any) -> Any:
        self._journal.calls.append(Call(self._worker, ctx.shard.id, value))
        return super().record(value, ctx)
