"""An hour and a day of the past, as workers leave them: a rush, a halt, and water that rests."""

from datetime import UTC, datetime, timedelta
from math import sin

MINUTES = 24 * 60


def seed_past() -> None:
    """Give every subscription a trend and every shard a history."""
    from streamapp.models import Checkpoint, History, Subscription, Trend

    now = datetime.now(UTC).replace(second=0, microsecond=0)
    for number, subscription in enumerate(Subscription.objects.order_by("name")):
        Trend.objects.bulk_create(_trend(subscription, number, now), batch_size=500)
    for row in Checkpoint.objects.select_related("subscription"):
        if row.subscription.broker == "local":
            History.objects.bulk_create(_history(row, now), batch_size=500)


def _trend(subscription, number: int, now: datetime):  # type: ignore[no-untyped-def]
    from streamapp.models import Trend

    counted = subscription.broker == "local"
    for minute in range(MINUTES):
        swell = abs(sin(minute / (40 + 30 * number))) ** 3
        yield Trend(
            subscription=subscription,
            minute=now - timedelta(minutes=minute),
            handled=int(600 * (1.2 - swell)) if number != 1 or minute > 25 else 0,
            records=int(9000 * swell) if counted else None,
            milliseconds=int(120_000 * swell),
        )


def _history(row, now: datetime):  # type: ignore[no-untyped-def]
    from streamapp.models import History

    for minute in range(0, MINUTES, 2):
        behind = row.position * minute // MINUTES
        yield History(
            checkpoint=row,
            position=row.position - behind,
            records=int(900 * abs(sin(minute / 50)) ** 3),
            milliseconds=int(60_000 * abs(sin(minute / 50)) ** 3),
            sampled_at=now - timedelta(minutes=minute),
        )
