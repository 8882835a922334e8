"""A subscription to Kinesis after a split, as workers leave its rows; the service itself isn't there."""

from collections.abc import Sequence
from typing import Any

from streamapp.brokers.base import Source
from streamapp.brokers.kinesis import KinesisBroker, KinesisStream, packing
from streamapp.exceptions import BrokerUnavailable
from streamapp.models import Checkpoint, Lag
from streamapp.records import Shard
from streamapp.registry import subscriber
from streamapp.store.lags import Sample
from tests.admin.scenes import STORE, started

SEQUENCE = 49650326716294118268471937215476120734623011470530740226
OPENED = 1_796_000_000_000
PARENT, LOWER, UPPER = (f"shardId-00000000000{number}" for number in range(3))


class AwayBroker(KinesisBroker):
    """Kinesis, out of reach: what is shown must come from the rows."""

    def shards(self, source: Source) -> list[Shard]:
        raise BrokerUnavailable("Kinesis at https://kinesis.example didn't answer within 3 s.")


@subscriber(KinesisStream("shipments"))
def ship(shipment: dict[str, Any]) -> None:
    """A handler that nobody calls here."""


SETTINGS = {
    "BROKERS": {
        "kinesis": {"BACKEND": "tests.admin.kinesis.AwayBroker", "OPTIONS": {"region_name": "us-east-1"}}
    },
    "SUBSCRIPTIONS": {"shipping.ship": {"HANDLER": "tests.admin.kinesis.ship"}},
}


def split() -> list[Checkpoint]:
    """Return the rows of a shard, behind a record, and of its two children, at a moment."""
    opened = packing.moment(OPENED)
    positions = {PARENT: packing.after(packing.at(SEQUENCE)), LOWER: opened, UPPER: opened}
    rows = started(
        "shipping.ship", {Shard("shipments", shard, "made"): at for shard, at in positions.items()}
    )
    Checkpoint.objects.filter(shard__in=(LOWER, UPPER)).update(parents=[PARENT])
    return list(Checkpoint.objects.filter(pk__in=[row.pk for row in rows]).order_by("id"))


def sample(row: Checkpoint, records: int | None, milliseconds: int | None) -> None:
    """Let a worker have sampled a shard a moment ago."""
    STORE.lags.write([Sample(row.pk, row.position, records, milliseconds)])


def age(rows: Sequence[Checkpoint], moment: object) -> None:
    """Let samples be of another moment."""
    Lag.objects.filter(checkpoint__in=rows).update(sampled_at=moment)
