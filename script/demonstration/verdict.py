"""What must hold after the consumers were killed and started again."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from demonstration.witness import Delivery


@dataclass(frozen=True, slots=True)
class Place:
    """Where the held record stands."""

    shard: str
    position: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """What was published and what became of it. `before` and `after` are deliveries, in order."""

    held: Place
    behind: set[int]
    """The positions of all shipments in the held record's shard, from the held one on."""
    before: list[Delivery]
    after: list[Delivery]
    checkpoint: int
    """Where the held record's shard would be read from next."""
    is_shown: bool
    """Whether the admin shows the held record."""
    expected: set[int]
    booked: set[int]
    expected_spend: dict[int, int]
    spend: dict[int, int]
    describe: Callable[[int], str]
    """Writes a position for people."""

    def positions(self, deliveries: list[Delivery]) -> list[int]:
        """Return the positions in the held record's shard, in order."""
        return [delivery.position for delivery in deliveries if delivery.shard == self.held.shard]

    @property
    def redelivered(self) -> int:
        """Count the records of that shard that came before the kill and again after it."""
        return len(set(self.positions(self.before)) & set(self.positions(self.after)))


def problems(evidence: Evidence) -> list[str]:
    """Return one sentence for everything that doesn't hold."""
    return [*_held(evidence), *_counts(evidence)]


def _held(evidence: Evidence) -> Iterator[str]:
    held, again = evidence.held, evidence.positions(evidence.after)
    place, describe = evidence.describe(held.position), evidence.describe
    if not again or again[0] != held.position:
        begun = describe(again[0]) if again else "nowhere"
        yield f"Shard {held.shard} begins at {begun} again, and not with the held record at {place}."
    if missing := evidence.behind - set(again):
        yield f"Of the records from the held one on, {len(missing)} did not come again."
    if evidence.checkpoint != held.position:
        yield f"The checkpoint is {describe(evidence.checkpoint)}, and the record at {place} is still held."
    if not evidence.is_shown:
        yield "The held record is not among those that the admin shows."


def _counts(evidence: Evidence) -> Iterator[str]:
    if lost := evidence.expected - evidence.booked:
        yield f"{len(lost)} shipments were not booked."
    if more := evidence.booked - evidence.expected:
        yield f"{len(more)} shipments were booked that must not be."
    if evidence.spend != evidence.expected_spend:
        yield "The card spend is not what was published."
