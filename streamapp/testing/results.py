"""What a test sees of a service."""

from collections.abc import Sequence

from streamapp import registry
from streamapp.conf import configuration
from streamapp.models import Quarantined
from streamapp.mount import Mount
from streamapp.outcomes import Kind
from streamapp.records import Record, Shard
from streamapp.store import Store
from streamapp.testing.deliveries import Delivery, Waiting
from streamapp.testing.published import read_published
from streamapp.testing.stage import Stage
from streamapp.testing.worker import InProcessWorker


class Results:
    """The results of one worker, and what the database and the brokers hold."""

    def __init__(self, stage: Stage, mounts: Sequence[Mount]) -> None:
        self._stage = stage
        self._mounts = mounts
        self._worker: InProcessWorker | None = None

    @property
    def deliveries(self) -> list[Delivery]:
        """Return what was acked, dropped or held since the last start, in that order of time."""
        return [note.delivery for note in self._running().journal.notes]

    @property
    def settled(self) -> list[Delivery]:
        """Return the deliveries that were acked or dropped."""
        return [delivery for delivery in self.deliveries if delivery.outcome.settles]

    @property
    def held(self) -> list[Delivery]:
        """Return the records that are held now, in front of which their checkpoints wait."""
        notes = self._running().journal.notes
        return [n.delivery for n in notes if n.delivery.outcome.kind is Kind.HOLD and n.part.current]

    @property
    def waiting(self) -> list[Waiting]:
        """Return the records that wait for a retry."""
        return list(self._running().journal.waiting().values())

    @property
    def quarantined(self) -> list[Quarantined]:
        """Return the rows of these subscriptions' records that couldn't be decoded."""
        rows = Quarantined.objects.using(configuration().DATABASE)
        return list(rows.filter(subscription__in=[mount.name for mount in self._mounts]).order_by("id"))

    def published(self, destination: str, *, broker: str | None = None) -> list[Record]:
        """Return what was published to a stream since the test began, by shard and position.

        `record.json()` decodes. `broker` is an alias, as for `streamapp.publish`.
        """
        found = registry.broker(broker or self._alias(destination))
        return read_published(found, destination, self._stage.since)

    def checkpoint(self, subscription: str, shard: int | str = 0) -> int:
        """Return the stored position of a shard, given by its number (`3`) or its name (`"orders/3"`).

        The number of a shard of Kinesis is the one at the end of its id.
        """
        store = Store(configuration().DATABASE)
        mount = next(mount for mount in self._mounts if mount.name == subscription)
        positions = store.checkpoints.positions(store.subscriptions.ensure(mount))
        found = [at for place, at in positions.items() if _is_meant(shard, place)]
        if len(found) != 1:
            there = ", ".join(map(str, sorted(positions))) or "none"
            raise LookupError(f"{shard!r} is not one shard of {subscription!r}. There are: {there}.")
        return found[0]

    def _alias(self, destination: str) -> str | None:
        readers = (mount.broker for mount in self._mounts if destination in mount.source.streams())
        return next(readers, None)

    def _running(self) -> InProcessWorker:
        if self._worker is None:
            raise RuntimeError("The service doesn't run. Use it in a with statement, or call start().")
        return self._worker


def _is_meant(named: int | str, shard: Shard) -> bool:
    if isinstance(named, str):
        return named in (shard.id, str(shard))
    digits = shard.id.rpartition("-")[2]
    return digits.isdecimal() and int(digits) == named
