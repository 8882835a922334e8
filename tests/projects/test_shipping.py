"""Shipments through the engine, on the local broker."""

import pytest

from projects.shipping.models import Booking, Carrier
from projects.shipping.streams import Shipment
from streamapp import publish
from streamapp.models import Checkpoint, HeldRecord
from tests.projects.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
ONE_SHARD = "one customer"


def _publish(*shipments: Shipment) -> list[int]:
    return [publish("shipments", shipment, key=ONE_SHARD, broker="local").position for shipment in shipments]


def _booked() -> list[int]:
    return sorted(Booking.objects.values_list("shipment_id", flat=True))


def _stored() -> int:
    return max(Checkpoint.objects.values_list("position", flat=True), default=0)


def test_a_held_shipment_keeps_the_checkpoint_while_those_behind_it_are_booked(running):
    _, held, _ = _publish(Shipment(1, "a", "heron"), Shipment(2, "b", "osprey"), Shipment(3, "c", "heron"))
    with running("shipping.ship"):
        until(lambda: _booked() == [1, 3] and HeldRecord.objects.exists())
    assert _stored() == held
    assert HeldRecord.objects.get().reason == "unknown carrier osprey"


def test_a_held_shipment_is_booked_at_the_next_start_once_its_carrier_is_known(running):
    _publish(Shipment(1, "a", "osprey"), Shipment(2, "b", "heron"))
    with running("shipping.ship"):
        until(lambda: _booked() == [2])
    Carrier.objects.create(code="osprey")
    with running("shipping.ship"):
        until(lambda: _booked() == [1, 2])
    assert _stored() == 2
    assert not HeldRecord.objects.exists()


def test_a_shipment_without_an_address_is_passed_for_good(running):
    _publish(Shipment(1, "", "heron"), Shipment(2, "b", "heron"))
    with running("shipping.ship"):
        until(lambda: _booked() == [2])
    assert _stored() == 2
