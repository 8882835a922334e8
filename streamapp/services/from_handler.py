"""The rewind that a handler asks for with `ctx.rewind`."""

from streamapp.brokers.base import Broker
from streamapp.mount import Mount
from streamapp.positions import Position
from streamapp.services.rewind import apply, plan


def rewind_from_handler(mount: Mount, broker: Broker, position: Position) -> None:
    """Move all checkpoints of the handler's own subscription, as a part of the open transaction.

    Raises InvalidPosition, BrokerUnavailable, and StalePlan if an operator was faster; the handler
    then fails and its record comes again.
    """
    apply(plan(mount.name, position, broker=broker, source=mount.source), origin="handler")
