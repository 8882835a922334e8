"""The project with one subscription to still water, and the heartbeat that streamapp has by default."""

from benchmarks.run import Run
from benchmarks.settings import *  # noqa: F403

run = Run.current()
STREAMAPP = {
    "BROKERS": {"still": {"BACKEND": "benchmarks.leases.still.StillBroker"}},
    "SUBSCRIPTIONS": {run.name: {"HANDLER": "benchmarks.leases.handlers.wait_for_ever"}},
}
