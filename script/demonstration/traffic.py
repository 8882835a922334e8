"""What the check publishes, and what must come of it."""

from collections.abc import Iterable
from itertools import islice

from django.conf import settings

from demonstration.verdict import Place
from projects.shipping.streams import Shipment
from projects.trickle.samples import ACCOUNTS, CARDS, NEW_CARRIER, entries, payouts, shipments
from streamapp import publish
from streamapp.brokers.base import Published

SEED = 2026
HELD = Shipment(1, "1 Mill Lane", NEW_CARRIER)


class Traffic:
    """Publishes the samples of the example in portions. No shipment is held but the one of `hold`."""

    def __init__(self) -> None:
        self._shipments = (found for found in shipments(SEED) if found.carrier != NEW_CARRIER)
        self._ledger = entries(SEED, ACCOUNTS, 40)
        self._card_entries = entries(SEED, CARDS, 40)
        self._payouts = payouts(SEED)
        self.published = 0
        self.shipments = 0
        self.dropped = 0
        self.booked: set[int] = set()
        self.spend: dict[int, int] = {}

    def flow(self, count: int) -> None:
        """Publish so many shipments and about as many other records."""
        for shipment in islice(self._shipments, count):
            self._publish_shipment(shipment)
            self._expect(shipment)
        for entry in islice(self._card_entries, count // 2):
            self._publish(settings.CARD_ENTRIES_TOPIC, entry, entry.account)
            self.spend[entry.id] = entry.cents
        self._publish_all(settings.LEDGER_TOPIC, islice(self._ledger, count // 3))
        self._publish_all(settings.PAYOUTS_TOPIC, islice(self._payouts, count // 5))

    def hold(self) -> Place:
        """Publish the shipment that nobody can book yet."""
        published = self._publish_shipment(HELD)
        return Place(published.shard.id, published.position)

    def _expect(self, shipment: Shipment) -> None:
        if shipment.address:
            self.booked.add(shipment.id)
        else:
            self.dropped += 1

    def _publish_shipment(self, shipment: Shipment) -> Published:
        self.shipments += 1
        return self._publish(settings.SHIPMENTS_STREAM, shipment, str(shipment.id))

    def _publish_all(self, destination: str, values: Iterable[object]) -> None:
        for value in values:
            self._publish(destination, value, value.account)

    def _publish(self, destination: str, value: object, key: str) -> Published:
        self.published += 1
        return publish(destination, value, key=key, broker=settings.STREAMS_BROKER)
