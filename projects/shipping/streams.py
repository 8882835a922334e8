"""What happens to a shipment that arrives on the stream."""

from dataclasses import dataclass

from projects.shipping.models import Booking, Carrier
from streamapp import KinesisStream, Outcome, subscriber


@dataclass(frozen=True, slots=True)
class Shipment:
    """A shipment as the warehouse publishes it."""

    id: int
    address: str
    carrier: str


@subscriber(KinesisStream("shipments", create_if_missing=4))
def ship(shipment: Shipment) -> Outcome:
    """Book a shipment with its carrier, once however often it is delivered."""
    if not shipment.address:
        return Outcome.drop("no address")
    carrier = Carrier.objects.filter(code=shipment.carrier).first()
    if carrier is None:
        return Outcome.hold(f"unknown carrier {shipment.carrier}")
    Booking.objects.get_or_create(
        shipment_id=shipment.id, defaults={"carrier": carrier, "address": shipment.address}
    )
    return Outcome.ack()
