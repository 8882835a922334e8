"""What beat asks for, as plain functions. A broker that is down keeps no other subscription from it."""

import logging
from collections.abc import Callable
from typing import Any

from streamapp import registry
from streamapp.contrib.celery.sending import Sender
from streamapp.exceptions import BrokerUnavailable
from streamapp.mount import Mount
from streamapp.observability.logs import Fields
from streamapp.services import pruning, unattended
from streamapp.store.audit import Asker

logger = logging.getLogger("streamapp.celery")


def due_retries(app: Any) -> dict[str, int]:
    """Make tasks of the delayed records that are due and whose subscriptions no live worker runs.

    Returns how many of each subscription. Subscriptions whose handler needs its worker are left alone.
    """
    mounts = [mount for mount in unattended.unattended() if _can_be_a_task(mount)]
    return _counted(mounts, lambda mount: unattended.hand_over_due(mount, Sender(app, mount.name)))


def sample_lags() -> dict[str, int]:
    """Sample the lag of the shards that no live worker samples; returns how many of each subscription."""
    return _counted(list(registry.mounts().values()), unattended.sample_lags)


def prune() -> dict[str, int]:
    """Delete what RETENTION keeps no longer; returns how many rows of each table."""
    return {pruned.table.name: pruned.rows for pruned in pruning.prune(Asker("celery")) if pruned.rows}


def _can_be_a_task(mount: Mount) -> bool:
    """Tell whether a task can do what the worker would: no commit with a checkpoint, no state of a worker."""
    return not mount.is_exact and mount.state is None


def _counted(mounts: list[Mount], count: Callable[[Mount], int]) -> dict[str, int]:
    found = {}
    for mount in mounts:
        try:
            found[mount.name] = count(mount)
        except BrokerUnavailable as error:
            fields = Fields(subscription=mount.name, error=error)
            logger.warning("Broker not reached, trying again at the next beat. %s", fields)
    return {name: number for name, number in found.items() if number}
