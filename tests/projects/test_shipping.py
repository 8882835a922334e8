"""Shipments through the engine, on the local broker and on Kinesis."""

from uuid import uuid4

import pytest

from projects.shipping.models import Booking, Carrier
from projects.shipping.streams import Shipment
from streamapp import publish, registry
from streamapp.models import Checkpoint, HeldRecord
from tests.projects.waiting import until

pytestmark = pytest.mark.django_db(transaction=True)
KINESIS = pytest.param("kinesis", marks=pytest.mark.live("kinesis"))
ONE_SHARD = "one customer"


class Warehouse:
    """What publishes shipments, all of them to one shard."""

    def __init__(self, broker: str, stream: str) -> None:
        self._broker = broker
        self._stream = stream

    def publish(self, *shipments: Shipment) -> list[int]:
        """Publish, and return the positions."""
        return [
            publish(self._stream, shipment, key=ONE_SHARD, broker=self._broker).position
            for shipment in shipments
        ]


@pytest.fixture(params=["local", KINESIS])
def warehouse(request, site):
    """Mount the handler on a stream of the test's own; on Kinesis it is made as the handler says."""
    stream = f"shipments-{uuid4().hex[:12]}"
    subscriptions = dict(site.STREAMAPP["SUBSCRIPTIONS"])
    source = {"stream": stream, "poll_interval": 0.2}
    mounted = {"BROKER": request.param, "SOURCE": source}
    subscriptions["shipping.ship"] = {**subscriptions["shipping.ship"], **mounted}
    site.STREAMAPP = {**site.STREAMAPP, "SUBSCRIPTIONS": subscriptions}
    mount, broker = registry.mount("shipping.ship"), registry.broker(request.param)
    broker.reader(mount.subscribing()).close()
    until(lambda: len(broker.shards(mount.source)) == 4)
    yield Warehouse(request.param, stream)
    if request.param == "kinesis":
        registry.broker("kinesis").clients.asking().delete_stream(StreamName=stream)


def _booked() -> list[int]:
    return sorted(Booking.objects.values_list("shipment_id", flat=True))


def _stored() -> int:
    return max(Checkpoint.objects.values_list("position", flat=True), default=0)


def test_a_held_shipment_keeps_the_checkpoint_while_those_behind_it_are_booked(warehouse, running):
    shipments = Shipment(1, "a", "heron"), Shipment(2, "b", "osprey"), Shipment(3, "c", "heron")
    _, held, _ = warehouse.publish(*shipments)
    with running("shipping.ship"):
        until(lambda: _booked() == [1, 3] and HeldRecord.objects.exists())
    assert _stored() == held
    assert HeldRecord.objects.get().reason == "unknown carrier osprey"


def test_a_held_shipment_is_booked_at_the_next_start_once_its_carrier_is_known(warehouse, running):
    _, last = warehouse.publish(Shipment(1, "a", "osprey"), Shipment(2, "b", "heron"))
    with running("shipping.ship"):
        until(lambda: _booked() == [2])
    Carrier.objects.create(code="osprey")
    with running("shipping.ship"):
        until(lambda: _booked() == [1, 2])
    assert _stored() == last + 1
    assert not HeldRecord.objects.exists()


def test_a_shipment_without_an_address_is_passed_for_good(warehouse, running):
    _, last = warehouse.publish(Shipment(1, "", "heron"), Shipment(2, "b", "heron"))
    with running("shipping.ship"):
        until(lambda: _booked() == [2])
    assert _stored() == last + 1
