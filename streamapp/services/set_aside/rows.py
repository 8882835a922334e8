"""The rows of records set aside, in words."""

from dataclasses import replace
from typing import Any

from streamapp import registry
from streamapp.exceptions import ActionRefused
from streamapp.models import Subscription
from streamapp.mount import Mount
from streamapp.records import Record
from streamapp.services.places import described
from streamapp.store.edits import plain
from streamapp.store.set_aside import SetAside, arrived


def broker_of(subscription: str, using: str) -> str:
    """Return the alias of a subscription's broker, by the settings or what is stored; it may be empty."""
    if mount := registry.mounts().get(subscription):
        return mount.broker
    rows = Subscription.objects.using(using).filter(name=subscription)
    return rows.values_list("broker", flat=True).first() or ""


def place_of(row: Any, broker: str) -> str:
    """Write where a record stood: `orders/3@1200`."""
    return f"{row.stream}/{row.shard}@{described(broker, row.position)}"


def mounted(subscription: str) -> Mount:
    """Return the mount of a subscription; raises ActionRefused if the settings have it no more."""
    mount = registry.mounts().get(subscription)
    if mount is None:
        raise ActionRefused(
            f"{subscription} isn't mounted, so nobody would get its records: put it back into "
            'STREAMAPP["SUBSCRIPTIONS"], or purge them.'
        )
    return mount


def as_delivered(row: Any) -> Record:
    """Return the record as it is redelivered: with the edited value, if there is one."""
    record = arrived(row)
    edited = plain(row.edited_value)
    return record if edited is None else replace(record, value=edited)


def unit(model: SetAside) -> str:
    """Return what one row is called."""
    return {"deadletter": "dead letter", "delayedrecord": "delayed record"}.get(
        str(model._meta.model_name), "quarantined record"
    )
