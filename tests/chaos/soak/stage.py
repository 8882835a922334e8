"""The settings of a soak: two exactly-once subscriptions, one that is moved about, one that fails.

What fails goes up the ladder: in place, by copy, to the dead letters.
"""

from typing import Any

SHARED = {"BROKER": "soak", "START_AT": "earliest", "RETRY": {"attempts": 50, "backoff": "0.1s..0.5s"}}
SUBSCRIPTIONS: dict[str, dict[str, Any]] = {
    "exact": {"TRANSACTION": "checkpoint", "LANES": 3, "ORDER": "key"},
    "batches": {"TRANSACTION": "checkpoint"},
    "moving": {"TRANSACTION": "handler"},
    "ladder": {
        "TRANSACTION": "handler",
        "RETRY": {"attempts": 2, "backoff": "1ms..1ms"},
        "MAX_ATTEMPTS": 4,
        "RETRY_DELAY": "1s..1s",
        "DEAD_LETTER": "database",
    },
}
EXACT, MOVING, LADDER = ("exact", "batches"), "moving", "ladder"
ATTEMPTS_IN_PLACE = SUBSCRIPTIONS[LADDER]["RETRY"]["attempts"]
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
