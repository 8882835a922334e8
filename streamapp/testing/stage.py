"""What the services of one test share: settings, brokers, a clock."""

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.test import override_settings

from streamapp import registry
from streamapp.conf import configuration
from streamapp.mount import Mount
from streamapp.positions import Moment
from streamapp.testing import copies
from streamapp.testing.clock import Clock
from streamapp.testing.deliveries import Waiting
from streamapp.testing.progress import Progress
from streamapp.testing.worker import InProcessWorker

LOCAL = "streamapp.brokers.local.LocalBroker"


class Stage:
    """The settings as a test needs them: every broker a local one, or live ones and fresh groups."""

    def __init__(self, *, live: bool, partitions: int | None) -> None:
        self.clock = Clock()
        self.since = Moment.of(datetime.now(UTC))
        self.workers: list[InProcessWorker] = []
        self._quiet = time.monotonic()
        self._live = live
        self._partitions = partitions
        self._exits = ExitStack()

    def enter(self) -> None:
        """Change the settings, as `override_settings` does."""
        changed = self._with_fresh_groups() if self._live else self._with_local_brokers()
        self._exits.enter_context(override_settings(STREAMAPP={**settings.STREAMAPP, **changed}))

    def leave(self) -> None:
        """Restore the settings."""
        self._exits.close()

    def start(self, mounts: Sequence[Mount]) -> InProcessWorker:
        """Start a worker: it handles nothing yet, but whatever is published from now on will be read."""
        brokers = {mount.broker: registry.broker(mount.broker) for mount in mounts}
        # One lane handles in the thread of the test, so that a run has an end.
        worker = InProcessWorker([replace(mount, lanes=1) for mount in mounts], brokers, self.clock)
        try:
            worker.start()
        except BaseException:
            # What it has opened is closed here: the collector frees a client in any later test, and may wait.
            worker.die()
            raise
        self.workers.append(worker)
        return worker

    def disturb(self) -> None:
        """Note that there may be news in the logs: what was found out about their ends is old."""
        self._quiet = time.monotonic()

    def run_once(self, timeout: float, *, save: bool) -> list[str]:
        """Do one round of all workers and return what is still open."""
        for worker in self.workers:
            before = worker.journal.begun
            worker.run_once(timeout, save=save)
            if worker.journal.begun > before:
                self.disturb()
        mounts = {c.mount.name: c.mount for worker in self.workers for c in worker.consumers}
        points = [
            point
            for mount in mounts.values()
            for point in Progress(mount, registry.broker(mount.broker), self.workers).open_points(self._quiet)
        ]
        return [*points, *copies.unhandled(self.workers)]

    def retries(self) -> list[str]:
        """Return what waits for a retry that isn't due."""
        tried = [f"{wait.shard} tries {wait.position} again and again." for wait in self._waiting()]
        return [*tried, *copies.waiting(self.workers)]

    def advance(self) -> None:
        """Move the clock to the next retry in place; without one all delayed copies become due."""
        if waits := [wait.seconds for wait in self._waiting()]:
            self.clock.move_to(self.clock() + min(waits))
        else:
            copies.make_due(self.workers)

    def _waiting(self) -> list[Waiting]:
        return [wait for worker in self.workers for wait in worker.journal.waiting().values()]

    def _with_local_brokers(self) -> dict[str, Any]:
        given = configuration().BROKERS
        return {"BROKERS": {alias: self._local(given[alias]) for alias in given}}

    def _local(self, given: dict[str, Any]) -> dict[str, Any]:
        options = given.get("OPTIONS", {}) if given.get("BACKEND") == LOCAL else {}
        if self._partitions is not None:
            options = {"partitions": self._partitions}
        return {"BACKEND": LOCAL, "OPTIONS": options}

    def _with_fresh_groups(self) -> dict[str, Any]:
        """What an earlier run has committed must not decide where this one starts."""
        token = uuid4().hex[:8]
        given = configuration().SUBSCRIPTIONS
        groups = {name: f"{mount.group}-{token}" for name, mount in registry.mounts().items()}
        return {"SUBSCRIPTIONS": {name: {**given[name], "GROUP": groups[name]} for name in given}}
