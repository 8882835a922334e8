"""Writes down every delivery of a shipment, in order, before the project's own handler gets it."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from projects.shipping import streams
from projects.shipping.streams import Shipment
from streamapp import Context, Outcome, subscriber
from streamapp.registry import declaration_of

VARIABLE = "DEMONSTRATION_WITNESS"


@dataclass(frozen=True, slots=True)
class Delivery:
    """One record, handed to a handler once."""

    process: int
    shard: str
    position: int
    shipment: int


@subscriber(declaration_of(streams.ship).source)
def ship(shipment: Shipment, ctx: Context) -> Outcome:
    delivery = Delivery(os.getpid(), ctx.shard.id, ctx.offset, shipment.id)
    with Path(os.environ[VARIABLE]).open("a") as file:
        file.write(json.dumps(asdict(delivery)) + "\n")
    return streams.ship(shipment)


def deliveries(path: Path, process: int) -> list[Delivery]:
    """Return what one process was given, in order. A line that is being written is left out."""
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    found = [Delivery(**json.loads(line)) for line in lines if line.endswith("\n")]
    return [delivery for delivery in found if delivery.process == process]
