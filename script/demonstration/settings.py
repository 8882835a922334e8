"""Settings of the check: those of the projects, with quick take-overs and a witness of the deliveries."""

from projects.settings import *  # noqa: F403
from projects.settings import STREAMAPP as PROJECT

SUBSCRIPTIONS = PROJECT["SUBSCRIPTIONS"]
STREAMAPP = {
    **PROJECT,
    "HEARTBEAT_INTERVAL": 0.5,
    "HEARTBEAT_TTL": 3.0,
    "SAVE_INTERVAL": 0.2,
    "SUBSCRIPTIONS": {
        **SUBSCRIPTIONS,
        "shipping.ship": {**SUBSCRIPTIONS["shipping.ship"], "HANDLER": "demonstration.witness.ship"},
    },
}
if "kafka" in PROJECT["BROKERS"]:
    # A killed member is given up by its group after this time.
    PROJECT["BROKERS"]["kafka"]["OPTIONS"] |= {"session.timeout.ms": 3000, "heartbeat.interval.ms": 500}
