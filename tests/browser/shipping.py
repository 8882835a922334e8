"""Shipments as the example project has them, but a shipment without an address fails for good."""

from projects.shipping.models import Booking, Carrier
from projects.shipping.streams import Shipment
from streamapp.brokers.local import LocalStream
from streamapp.registry import subscriber

NAME = "shipping.ship"
SETTINGS = {
    "BROKERS": {"local": {"BACKEND": "streamapp.brokers.local.LocalBroker"}},
    "SUBSCRIPTIONS": {
        NAME: {
            "HANDLER": "tests.browser.shipping.ship",
            "START_AT": "earliest",
            "MAX_ATTEMPTS": 1,
            "DRY_RUN": True,
        }
    },
    "HEARTBEAT_INTERVAL": 0.3,
    "HEARTBEAT_TTL": 10.0,
    "SAVE_INTERVAL": 0.1,
}


@subscriber(LocalStream("shipments"))
def ship(shipment: Shipment) -> None:
    if not shipment.address:
        raise ValueError("no address")
    carrier = Carrier.objects.get(code=shipment.carrier)
    Booking.objects.create(shipment_id=shipment.id, carrier=carrier, address=shipment.address)
