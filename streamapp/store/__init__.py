"""Every conditional UPDATE of the app lives here; engine and services write through it only."""

from streamapp.store.store import Store

__all__ = ["Store"]
