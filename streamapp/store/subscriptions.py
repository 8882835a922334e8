"""Subscriptions: the rows that own checkpoints."""

from django.db.models import Count

from streamapp.models import Subscription
from streamapp.mount import Mount
from streamapp.store.clock import ClockNow


class SubscriptionStore:
    """Finds and makes the rows of subscriptions."""

    def __init__(self, using: str) -> None:
        self._subscriptions = Subscription.objects.using(using)

    def ensure(self, mount: Mount) -> int:
        """Return the id of the mount's row, made or brought up to date."""
        described = {
            "broker": mount.broker,
            "streams": ", ".join(mount.source.streams()),
            "group": mount.group,
        }
        row, _ = self._subscriptions.update_or_create(name=mount.name, defaults=described)
        return row.pk

    def has_started(self, subscription: int) -> bool:
        """Tell whether START_AT was applied once; shards that appear later are new."""
        return self._subscriptions.filter(id=subscription, started_at__isnull=False).exists()

    def start(self, subscription: int) -> None:
        """Note that START_AT has been applied to every shard there is."""
        self._subscriptions.filter(id=subscription, started_at=None).update(started_at=ClockNow())

    def orphans(self, mounted: set[str]) -> list[tuple[str, int]]:
        """Return the subscriptions that no mount owns, with how many checkpoints each keeps."""
        others = self._subscriptions.exclude(name__in=mounted).annotate(count=Count("checkpoints"))
        return list(others.filter(count__gt=0).values_list("name", "count"))
