"""The service under test."""

import os
import time
from collections.abc import Mapping, Sequence
from typing import Any, Self

from streamapp import registry
from streamapp.brokers.base import Published
from streamapp.mount import Mount
from streamapp.publishing import publish
from streamapp.testing.progress import Unfinished
from streamapp.testing.results import Results
from streamapp.testing.stage import Stage
from streamapp.testing.worker import InProcessWorker

POLL_SECONDS = 0.05
LIVE_VARIABLE = "STREAMAPP_TEST_LIVE"


class Service(Results):
    """Runs mounted subscriptions in the calling thread: the production engine, but for its threads.

        with Service("shipping.ship") as service:
            service.publish("shipments", {"id": 1, "address": "", "carrier": "post"})
            service.run()
            assert [delivery.outcome for delivery in service.settled] == [Outcome.drop("no address")]

    Without names, all subscriptions run. Every broker of the settings is replaced by a local one in the
    project's database, whose new streams have `partitions` partitions; `live=True`, or
    STREAMAPP_TEST_LIVE=1 in the environment, uses the brokers as they are, with fresh consumer groups.
    `beside` makes another worker of a service that is running. `mounts` runs mounts made by hand.

    Works inside the transaction of a `django.test.TestCase`. Time stands still: only
    `run(advance=True)` moves it.
    """

    def __init__(
        self,
        *subscriptions: str,
        live: bool = False,
        partitions: int | None = None,
        beside: "Service | None" = None,
        mounts: Sequence[Mount] = (),
    ) -> None:
        live = live or os.environ.get(LIVE_VARIABLE) == "1"
        stage = beside._stage if beside else Stage(live=live, partitions=partitions)
        super().__init__(stage, mounts or (beside._mounts if beside else ()))
        self._owns_stage = beside is None
        self._subscriptions: Sequence[str] = subscriptions or (beside._subscriptions if beside else ())

    def __enter__(self) -> Self:
        """Change the settings and start."""
        if self._owns_stage:
            self._stage.enter()
        try:
            self._mounts = self._mounts or self._chosen()
            self.start()
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, and restore the settings."""
        if self._worker:
            self.stop()
        self._leave()

    def publish(
        self,
        destination: str,
        value: Any,
        *,
        key: str | bytes | None = None,
        headers: Mapping[str, str | bytes] | None = None,
    ) -> Published:
        """Publish as `streamapp.publish` does, to the broker of the subscription that reads `destination`."""
        return publish(destination, value, key=key, headers=headers, broker=self._alias(destination))

    def run(self, *, advance: bool = False, save: bool = True, timeout: float = 30.0) -> None:
        """Handle all there is, also what handlers publish meanwhile; all workers take part.

        Returns when every record is settled, is held, or waits for a retry or as a copy that isn't due;
        `advance=True` moves the time on until none waits. `save=False` leaves the checkpoints as they
        are, so that a `crash` brings everything again. Blocks for up to `timeout` seconds of real time,
        then raises Unfinished with the shards that aren't done. Raises BrokerUnavailable,
        django.db.Error and InvalidPosition as the engine does.
        """
        self._running()
        deadline = time.monotonic() + timeout
        self._stage.disturb()
        unfinished = self._stage.run_once(0.0, save=save)
        while open_points := unfinished or (self._stage.retries() if advance else []):
            if time.monotonic() >= deadline:
                raise Unfinished("\n".join([f"Not done after {timeout:g} seconds.", *open_points]))
            if not unfinished:
                self._stage.advance()
            unfinished = self._stage.run_once(POLL_SECONDS, save=save)

    def advance(self) -> None:
        """Move the time on to the next retry, or without one to all copies; the next `run` handles them."""
        self._stage.advance()

    def start(self) -> None:
        """Start the worker; the lists of deliveries begin anew."""
        self._worker = self._stage.start(self._mounts)

    def stop(self) -> None:
        """Stop as after SIGTERM: checkpoints are saved, shards let go."""
        self._taken_off().stop()

    def die(self) -> None:
        """End as after `kill -9`: what wasn't saved comes again, here or on another worker."""
        self._taken_off().die()

    def restart(self) -> None:
        """Stop and start; held records come first, and everything behind them again."""
        self.stop()
        self.start()

    def crash(self) -> None:
        """Die and start."""
        self.die()
        self.start()

    def _chosen(self) -> list[Mount]:
        return [registry.mount(name) for name in self._subscriptions] or list(registry.mounts().values())

    def _taken_off(self) -> InProcessWorker:
        worker, self._worker = self._running(), None
        self._stage.workers.remove(worker)
        return worker

    def _leave(self) -> None:
        if self._owns_stage:
            self._stage.leave()
