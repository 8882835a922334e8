"""Calls that fail at random: before they are carried out, or after, so that only the reply is lost."""

from collections.abc import Callable
from random import Random
from typing import Any

from django.db import OperationalError

from streamapp.exceptions import BrokerUnavailable
from streamapp.store import Store

CONCERNS = ("subscriptions", "checkpoints", "leases", "workers", "records")


class Faults:
    """Decides which call fails. `rate` is the chance of each; 0 while everything is well."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.rate = 0.0

    def strike(self, error: type[Exception], what: str) -> None:
        if self.rate and self.random.random() < self.rate:
            raise error(f"{what}: a fault of the test")


class Shaky:
    """Passes every call on, if it doesn't fail. `heard` is told of those that were carried out."""

    def __init__(self, target: Any, faults: Faults, heard: Callable[[str, Any, Any], object]) -> None:
        self._target = target
        self._faults = faults
        self._heard = heard

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any, **named: Any) -> Any:
            self._faults.strike(OperationalError, name)
            result = getattr(self._target, name)(*arguments, **named)
            self._heard(name, arguments, result)
            self._faults.strike(OperationalError, f"reply of {name}")
            return result

        return call


class ShakyStore(Store):
    """A store of which every method may fail."""

    def __init__(self, faults: Faults, heard: Callable[[str, Any, Any], object]) -> None:
        super().__init__("default")
        self._faults = faults
        for name in CONCERNS:
            setattr(self, name, Shaky(getattr(self, name), faults, heard))

    def probe(self) -> None:
        self._faults.strike(OperationalError, "probe")
        super().probe()


def unavailable(faults: Faults, method: Callable[..., Any]) -> Callable[..., Any]:
    """Return the method, failing at random like a broker that doesn't answer."""

    def call(*arguments: Any) -> Any:
        faults.strike(BrokerUnavailable, method.__name__)
        result = method(*arguments)
        faults.strike(BrokerUnavailable, f"reply of {method.__name__}")
        return result

    return call
