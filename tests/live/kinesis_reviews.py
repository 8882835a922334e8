"""A subscription to one stream of an emulator, whose rewinds are reviewed; nobody reads it."""

from streamapp.models import Checkpoint
from streamapp.records import Shard
from streamapp.services import rewind
from streamapp.services.firsts import first_records, observed
from streamapp.services.targets import Everywhere
from tests.admin.scenes import started
from tests.contract.broker.benches import kinesis_options

NAME = "shipping.ship"


def mounted(variable: str, stream: str) -> dict:
    """The settings that read a stream of an emulator."""
    return {
        "BROKERS": {
            "kinesis": {
                "BACKEND": "streamapp.brokers.kinesis.KinesisBroker",
                "OPTIONS": kinesis_options(variable),
            }
        },
        "SUBSCRIPTIONS": {NAME: {"HANDLER": "tests.admin.kinesis.ship", "SOURCE": {"stream": stream}}},
    }


def reading(positions: dict[Shard, int]) -> list[Checkpoint]:
    """Let the subscription stand there."""
    return started(NAME, positions)


def reviewed(target, shards=None) -> list[set]:
    """Return what a review remarks on each shard, after a look at what is there."""
    meant = Everywhere(target) if not hasattr(target, "resolve") else target
    plan = rewind.plan_mounted(NAME, meant, shards)
    looked = observed(plan, first_records(plan, plan.lines))
    return [set(line.flags) for line in looked.lines]
