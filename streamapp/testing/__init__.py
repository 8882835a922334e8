"""Tests for projects that use streamapp: run the mounted handlers in process, without a server.

Importable before Django's apps are ready, because pytest loads its plugins that early.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamapp.testing.deliveries import Delivery, Waiting
    from streamapp.testing.progress import Unfinished
    from streamapp.testing.service import Service

__all__ = ["Delivery", "Service", "Unfinished", "Waiting"]

_MODULES = {
    "Delivery": "deliveries",
    "Service": "service",
    "Unfinished": "progress",
    "Waiting": "deliveries",
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return value
