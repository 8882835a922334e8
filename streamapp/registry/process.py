"""The registry of one process: mounts by name, and one broker object an alias."""

import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import cast

from streamapp.brokers.base import Broker
from streamapp.conf import Configuration
from streamapp.exceptions import ConfigurationError, UnknownSubscription
from streamapp.mount import Mount
from streamapp.problems import nearest, refuse
from streamapp.registry.sources import advised_alias, default_alias
from streamapp.registry.survey import Survey, survey


class Registry:
    """Hands out what the configuration mounts; may be used from any thread."""

    def __init__(self, configuration: Callable[[], Configuration]) -> None:
        """Take what returns the configuration in force; another object there is another configuration."""
        self._configuration = configuration
        self.start_anew()

    def start_anew(self) -> None:
        """Forget everything without closing it: after a fork the clients belong to the parent."""
        self._lock = threading.RLock()
        self._survey: Survey | None = None
        self._brokers: dict[str, Broker] = {}

    def mounts(self) -> dict[str, Mount]:
        """Return all subscriptions by name, in the order of the settings.

        Raises ConfigurationError if any of them can't be mounted.
        """
        return {name: self.mount(name) for name in self._surveyed().drafts}

    def mount(self, name: str) -> Mount:
        """Return one subscription.

        Raises UnknownSubscription with the nearest names, and ConfigurationError with the sentences of
        the system checks if it can't be mounted.
        """
        found = self._surveyed()
        if name not in found.drafts:
            known = nearest(name, found.drafts)
            raise UnknownSubscription(f"{name!r} is not in STREAMAPP['SUBSCRIPTIONS']. {known}")
        refuse(found.problems_of(name))
        return cast("Mount", found.drafts[name].mount)

    def broker(self, alias: str | None = None) -> Broker:
        """Return the broker of an alias; without one the only broker, else the one named `default`.

        There is one object an alias and process until its entry in the settings changes. Raises
        ConfigurationError for an unknown alias or an entry that can't be used.
        """
        with self._lock:
            fresh = self._drafted(alias)
            kept = self._brokers.get(fresh.alias)
            if kept and (type(kept), kept.options) == (type(fresh), fresh.options):
                return kept
            self._brokers[fresh.alias] = fresh
            if kept:
                kept.close()
            return fresh

    def close_brokers(self) -> None:
        """Close all brokers that were handed out; the next use makes new ones."""
        with self._lock, ExitStack() as stack:
            for broker in self._brokers.values():
                stack.callback(broker.close)
            self._brokers, self._survey = {}, None

    def _surveyed(self) -> Survey:
        configuration = self._configuration()
        with self._lock:
            if self._survey is None or self._survey.configuration is not configuration:
                self._survey = survey(configuration)
            return self._survey

    def _drafted(self, alias: str | None) -> Broker:
        brokers = self._surveyed().brokers
        chosen = default_alias(brokers) if alias is None else alias
        if chosen is None or chosen not in brokers:
            said = "No broker is the default" if alias is None else f"The broker {alias!r} is not in BROKERS"
            raise ConfigurationError(f"{said}. {advised_alias(alias, brokers)}")
        refuse(brokers[chosen].problems)
        return cast("Broker", brokers[chosen].broker)
