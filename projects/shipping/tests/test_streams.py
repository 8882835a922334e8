"""The handler is a plain function: what it says of a shipment, and what it books."""

import pytest

from projects.shipping.models import Booking, Carrier
from projects.shipping.streams import Shipment, ship
from streamapp import Outcome

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _carrier() -> None:
    Carrier.objects.get_or_create(code="heron")


def test_a_shipment_is_booked_with_its_carrier() -> None:
    assert ship(Shipment(1, "1 Mill Lane", "heron")) == Outcome.ack()

    booking = Booking.objects.get()
    assert (booking.shipment_id, booking.carrier_id, booking.address) == (1, "heron", "1 Mill Lane")


def test_a_shipment_that_comes_twice_is_booked_once() -> None:
    ship(Shipment(1, "1 Mill Lane", "heron"))

    assert ship(Shipment(1, "1 Mill Lane", "heron")) == Outcome.ack()
    assert Booking.objects.count() == 1


def test_a_shipment_without_an_address_is_retired() -> None:
    assert ship(Shipment(1, "", "heron")) == Outcome.drop("no address")
    assert not Booking.objects.exists()


def test_an_unknown_carrier_holds_the_shipment_until_somebody_adds_the_carrier() -> None:
    shipment = Shipment(1, "1 Mill Lane", "osprey")
    assert ship(shipment) == Outcome.hold("unknown carrier osprey")
    assert not Booking.objects.exists()

    Carrier.objects.create(code="osprey")
    assert ship(shipment) == Outcome.ack()
    assert Booking.objects.get().carrier_id == "osprey"
