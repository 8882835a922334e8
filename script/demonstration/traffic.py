"""What the check publishes, and what must come of it."""

from itertools import islice

from django.conf import settings

from demonstration.verdict import Place
from projects.ledger.messages import Entry, Payout
from projects.shipping.streams import Shipment
from projects.trickle.samples import ACCOUNTS, CARDS, NEW_CARRIER, entries, payouts, shipments
from streamapp import publish
from streamapp.brokers.base import Published
from streamapp.records import Shard

SEED = 2026
HELD = Shipment(1, "1 Mill Lane", NEW_CARRIER)


class Traffic:
    """Publishes the samples of the example in portions. No shipment is held but the one of `hold`."""

    def __init__(self) -> None:
        self._shipments = (found for found in shipments(SEED) if found.carrier != NEW_CARRIER)
        self._ledger = entries(SEED, ACCOUNTS, 40)
        self._card_entries = entries(SEED, CARDS, 40)
        self._payouts = payouts(SEED)
        self.published: list[Published] = []
        self.dropped = 0
        self.booked: set[int] = set()
        self.spend: dict[int, int] = {}

    def flow(self, count: int) -> None:
        """Publish so many shipments and about as many other records."""
        for shipment in islice(self._shipments, count):
            self._publish_shipment(shipment)
            self._expect(shipment)
        for entry in islice(self._card_entries, count // 2):
            self._publish_of_account(settings.CARD_ENTRIES_TOPIC, entry)
            self.spend[entry.id] = entry.cents
        for entry in islice(self._ledger, count // 3):
            self._publish_of_account(settings.LEDGER_TOPIC, entry)
        for payout in islice(self._payouts, count // 5):
            self._publish_of_account(settings.PAYOUTS_TOPIC, payout)

    def hold(self) -> Place:
        """Publish the shipment that nobody can book yet."""
        published = self._publish_shipment(HELD)
        return Place(published.shard.id, published.position)

    def shipments(self) -> list[Place]:
        """Return where all shipments stand, in the order of their publishing."""
        stream = settings.SHIPMENTS_STREAM
        return [Place(at.shard.id, at.position) for at in self.published if at.shard.stream == stream]

    def ends(self) -> dict[Shard, int]:
        """Return for every shard that holds a record the position behind its last one."""
        return {at.shard: at.position + 1 for at in self.published}

    def _expect(self, shipment: Shipment) -> None:
        if shipment.address:
            self.booked.add(shipment.id)
        else:
            self.dropped += 1

    def _publish_shipment(self, shipment: Shipment) -> Published:
        stream, broker = settings.SHIPMENTS_STREAM, settings.SHIPMENTS_BROKER
        return self._noted(publish(stream, shipment, key=str(shipment.id), broker=broker))

    def _publish_of_account(self, topic: str, value: Entry | Payout) -> None:
        self._noted(publish(topic, value, key=value.account, broker=settings.LEDGER_BROKER))

    def _noted(self, published: Published) -> Published:
        self.published.append(published)
        return published
