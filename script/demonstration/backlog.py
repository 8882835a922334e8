"""What waits when the demonstration for a person begins: days of payouts, a shipment nobody can book."""

import json
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import islice
from random import randrange

from confluent_kafka import Producer
from django.conf import settings
from django.db.models import F

from demonstration.stages import Stage
from projects.shipping.streams import Shipment
from projects.trickle.samples import NEW_CARRIER, payouts
from streamapp import publish, registry
from streamapp.brokers.local import LocalBroker
from streamapp.models import LocalRecord, Subscription

PAYOUTS = 15_000
DAYS = 3
SPACING = DAYS * 86_400_000 // PAYOUTS
"""Milliseconds between two payouts."""


def pile_up(stage: Stage) -> None:
    """Publish a shipment that will be held, and before the very first start the payouts too."""
    shipment = Shipment(randrange(10**12), "1 Mill Lane", NEW_CARRIER)
    broker = settings.SHIPMENTS_BROKER
    publish(settings.SHIPMENTS_STREAM, shipment, key=str(shipment.id), broker=broker)
    if not Subscription.objects.filter(name="payouts.review").exists():
        _publish_to_kafka(stage) if stage.is_real else _publish_locally()
    registry.close_brokers()


def _payouts() -> Iterator[tuple[bytes, bytes]]:
    """Yield keys and values."""
    for payout in islice(payouts(randrange(1_000_000)), PAYOUTS):
        yield payout.account.encode(), json.dumps(asdict(payout)).encode()


def _publish_locally() -> None:
    """Publish now, and then let the records be of the last days."""
    broker = registry.broker("local")
    assert isinstance(broker, LocalBroker)
    broker.publish_many(settings.PAYOUTS_TOPIC, _payouts())
    own = LocalRecord.objects.filter(partition__stream__name=settings.PAYOUTS_TOPIC)
    each = SPACING * len(broker.shards(registry.mount("payouts.review").source))
    own.update(timestamp=F("timestamp") - DAYS * 86_400_000 + F("offset") * each)


def _publish_to_kafka(stage: Stage) -> None:
    producer = Producer({"bootstrap.servers": stage.bootstrap_servers})
    begin = int(time.time() * 1000) - DAYS * 86_400_000
    for number, (key, value) in enumerate(_payouts()):
        producer.produce(settings.PAYOUTS_TOPIC, value, key, timestamp=begin + number * SPACING)
    producer.flush(30)
