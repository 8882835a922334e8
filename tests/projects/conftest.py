"""The projects' own settings on the local broker, and workers that run them in this process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from projects import settings as project
from projects.shipping.models import Carrier
from streamapp import registry
from streamapp.conf import configuration
from streamapp.engine.worker import Worker
from streamapp.services.from_handler import rewind_from_handler
from streamapp.store import Store

QUICK = {"HEARTBEAT_INTERVAL": 0.2, "HEARTBEAT_TTL": 2.0, "SAVE_INTERVAL": 0.1}
NAMES = (
    "SHIPMENTS_STREAM",
    "LEDGER_TOPIC",
    "CARD_ENTRIES_TOPIC",
    "PAYOUTS_TOPIC",
    "SHIPMENTS_BROKER",
    "LEDGER_BROKER",
)


@pytest.fixture
def site(transactional_db, settings):
    """Mount what the projects mount; every carrier of the samples but one is known."""
    settings.STREAMAPP = {**project.STREAMAPP, **QUICK}
    for name in NAMES:
        setattr(settings, name, getattr(project, name))
    for code in ("albatross", "heron", "kingfisher"):
        Carrier.objects.get_or_create(code=code)
    yield settings
    registry.close_brokers()


@pytest.fixture
def running(site) -> Callable[..., object]:
    """Return what runs subscriptions in a `with` block; the worker stops cleanly at its end."""

    @contextmanager
    def run(*names: str) -> Iterator[Worker]:
        mounts = [registry.mount(name) for name in names]
        brokers = {mount.broker: registry.broker(mount.broker) for mount in mounts}
        worker = Worker(
            mounts, brokers, Store(configuration().DATABASE), configuration(), rewind_from_handler
        )
        worker.start()
        try:
            yield worker
        finally:
            worker.stop()
            assert worker.join(20)
            assert worker.failure is None

    return run
