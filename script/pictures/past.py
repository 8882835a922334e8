"""An hour and a day of the past, as workers leave them: a rush, a halt, and water that rests."""

from datetime import UTC, datetime, timedelta
from math import sin

MINUTES = 24 * 60


def seed_past() -> None:
    """Give every subscription a trend, and every shard that has an offset a history."""
    from streamapp.models import Subscription

    for subscription in Subscription.objects.order_by("name"):
        seed_past_of(subscription.name)


def seed_past_of(name: str) -> None:
    """Give one subscription a trend, and its first shards a history."""
    from streamapp.models import Checkpoint, History, Subscription, Trend

    now = datetime.now(UTC).replace(second=0, microsecond=0)
    subscription = Subscription.objects.get(name=name)
    Trend.objects.bulk_create(_trend(subscription, now), batch_size=500)
    if subscription.broker == "local":
        for number, row in enumerate(Checkpoint.objects.filter(subscription=subscription).order_by("pk")[:8]):
            History.objects.bulk_create(_history(row, number, now), batch_size=500)


def _trend(subscription, now: datetime):  # type: ignore[no-untyped-def]
    from streamapp.models import Trend

    counted = subscription.broker == "local"
    for minute in range(MINUTES):
        swell = abs(sin(minute / (40 + 17 * subscription.pk))) ** 3
        halted = subscription.pk % 2 == 0 and minute < 25
        yield Trend(
            subscription=subscription,
            minute=now - timedelta(minutes=minute),
            handled=0 if halted else int(600 * (1.2 - swell)),
            records=int(9000 * swell) if counted else None,
            milliseconds=int(120_000 * swell),
        )


def _history(row, number: int, now: datetime):  # type: ignore[no-untyped-def]
    from streamapp.models import History

    for minute in range(0, MINUTES, 2):
        rewound = 120 if number == 1 and minute > 20 else 0
        yield History(
            checkpoint=row,
            position=max(row.position - (3 + number) * minute + rewound, 0),
            records=int(900 * abs(sin(minute / 50)) ** 3),
            milliseconds=int(60_000 * abs(sin(minute / 50)) ** 3),
            sampled_at=now - timedelta(minutes=minute),
        )
