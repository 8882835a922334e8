"""Records set aside: held ones as the present owner sees them, and the quarantine."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from streamapp.models import Checkpoint, HeldRecord, Quarantined
from streamapp.records import Record
from streamapp.store.clock import ClockNow
from streamapp.store.edits import Edit, edited_columns

LONGEST = 10_000
"""Characters of what a handler said: an exception may quote a whole payload, and pages show many."""


@dataclass(frozen=True, slots=True)
class Held:
    """A record that a handler held, on its way into its row."""

    checkpoint: int
    position: int
    reason: str


class RecordStore:
    """Writes what the admin shows of single records."""

    def __init__(self, using: str) -> None:
        self._using = using

    def hold(self, held: Sequence[Held], epochs: Mapping[int, int]) -> list[Held]:
        """Show held records, of shards whose epoch is still the one given; returns those."""
        stored = Checkpoint.objects.using(self._using).filter(id__in=epochs).values_list("id", "epoch")
        mine = {pk for pk, epoch in stored if epochs[pk] == epoch}
        shown = [record for record in held if record.checkpoint in mine]
        rows = [
            HeldRecord(
                checkpoint_id=record.checkpoint,
                position=record.position,
                reason=quoted(record.reason),
                held_at=ClockNow(),
            )
            for record in shown
        ]
        HeldRecord.objects.using(self._using).bulk_create(rows, ignore_conflicts=True)
        return shown

    def settle(self, settled: Sequence[tuple[int, int]], epochs: Mapping[int, int]) -> None:
        """Show records no more that were held and came to an end: pairs of checkpoint and position.

        Those of shards whose epoch isn't the one given any more may be held anew by somebody else.
        """
        for checkpoint, position in settled:
            rows = HeldRecord.objects.using(self._using).filter(checkpoint=checkpoint, position=position)
            rows.filter(checkpoint__epoch=epochs[checkpoint]).delete()

    def quarantine(self, subscription: str, record: Record, reason: str, edit: Edit | None = None) -> None:
        """Keep an undecodable record whole; once a place, however often it is read.

        Of an edited record the row keeps the value that arrived, and the edited one beside it.
        """
        columns = {
            "subscription": subscription,
            "stream": record.shard.stream,
            "incarnation": record.shard.incarnation,
            "shard": record.shard.id,
            "position": record.position,
            "key": record.key,
            "value": record.value,
            "headers": {storable(name): b64encode(value).decode() for name, value in record.headers.items()},
            "timestamp": record.timestamp,
            "reason": quoted(reason),
            "created_at": ClockNow(),
        }
        row = Quarantined(**columns | edited_columns(record, edit))
        Quarantined.objects.using(self._using).bulk_create([row], ignore_conflicts=True)


def quoted(text: object) -> str:
    """Return what a handler said, as a database takes it: of a long text the beginning."""
    whole = storable(text)
    if len(whole) <= LONGEST:
        return whole
    return f"{whole[:LONGEST]} … cut here; {len(whole):,} characters in all"


def storable(text: object) -> str:
    """Return text that a database takes: without NUL and halves of a character, which JSON may hold.

    A refused row would look like a database that is down, and the shard would wait for it for ever.
    """
    return str(text).replace("\0", "\ufffd").encode("utf-8", "replace").decode()
