"""Redelivering to the stream that a record came from, which others read too."""

from collections.abc import Iterator
from typing import Any

from streamapp import registry
from streamapp.copies import Copied, as_arrived
from streamapp.exceptions import BrokerUnavailable, PublishFailed
from streamapp.services.set_aside.base import SetAsideAction, Stop
from streamapp.services.set_aside.rows import as_delivered, mounted
from streamapp.services.wording import amount
from streamapp.store.set_aside import SetAsideStore


class Publish(SetAsideAction):
    """Publishes each record to its source; its row goes once the broker has confirmed it.

    When the database fails in between, the row stays though the record was published.
    """

    name = "publish"
    permission = "streamapp.publish_letter"
    becomes = "published to its source, and confirmed"
    chunk = 10

    def _effects(self, subscription: str, count: int, edited: int) -> Iterator[str]:
        mount = mounted(subscription)
        yield (
            f"{amount(count, 'record')} of {subscription} will be published to the stream it came from, "
            f"through the broker {mount.broker}. EVERY group and subscription that reads that stream gets it."
        )
        if edited:
            yield f"{edited:,} of them as edited: all of those readers get the edited copy."
        yield (
            "What is published is a new record at the end of the stream. Each leaves this list once the "
            "broker has confirmed it. At the first one that isn't confirmed everything stops."
        )

    def _move(self, store: SetAsideStore, row: Any) -> None:
        record = as_delivered(row)
        first = getattr(row, "first_failed_at", row.created_at)
        origin = getattr(row, "origin", "") or self.place(row)
        story = Copied(1, origin, first, row.reason).headers()
        broker = registry.broker(mounted(row.subscription).broker)
        try:
            headers = {**as_arrived(record.headers), **story}
            broker.publish(row.stream, record.value, key=record.key, headers=headers)
        except (PublishFailed, BrokerUnavailable) as error:
            raise Stop(f"not confirmed, it stays here: {error}") from error
        store.delete(row)
