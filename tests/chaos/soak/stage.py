"""The settings of a soak: two subscriptions with exactly-once effects, and one that is moved about."""

from typing import Any

SHARED = {"BROKER": "soak", "START_AT": "earliest", "RETRY": {"attempts": 50, "backoff": "0.1s..0.5s"}}
SUBSCRIPTIONS: dict[str, dict[str, Any]] = {
    "exact": {"TRANSACTION": "checkpoint", "LANES": 3, "ORDER": "key"},
    "batches": {"TRANSACTION": "checkpoint"},
    "moving": {"TRANSACTION": "handler"},
}
EXACT, MOVING = ("exact", "batches"), "moving"
TTL_SECONDS = 3.0
TIMES = {
    "HEARTBEAT_INTERVAL": TTL_SECONDS / 6,
    "HEARTBEAT_TTL": TTL_SECONDS,
    "SAVE_INTERVAL": 0.3,
    "STOP_TIMEOUT": 15.0,
}


def stage(broker: str, seed: int, backend: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    """Return what the processes of a soak are told; `database` is to have what their way there differs in."""
    subscriptions = {
        name: {"HANDLER": f"tests.chaos.soak.handlers.{name}", "SOURCE": source, **SHARED, **entry}
        for name, entry in SUBSCRIPTIONS.items()
    }
    streamapp = {"BROKERS": {"soak": backend}, "SUBSCRIPTIONS": subscriptions, **TIMES}
    return {"broker": broker, "seed": seed, "calm": False, "database": {}, "streamapp": streamapp}
