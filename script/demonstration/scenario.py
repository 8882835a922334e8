"""The check itself, from the first record to the verdict."""

from pathlib import Path
from typing import Any

from demonstration.children import Child, Children
from demonstration.stopping import Stop, say
from demonstration.traffic import Traffic
from demonstration.verdict import Evidence, Place, problems
from demonstration.witness import deliveries
from projects.ledger.models import Spend
from projects.shipping.models import Booking
from streamapp import registry
from streamapp.models import Checkpoint, HeldRecord

SHIPPING = "shipping.ship"
SECONDS = 40


class Scenario:
    """One play on a prepared stage."""

    def __init__(self, directory: Path, environment: dict[str, str], stop: Stop) -> None:
        self._directory = directory
        self._environment = environment
        self._stop = stop
        self._traffic = Traffic()

    def play(self, *, skip_held: bool) -> dict[str, Any]:
        """Return the result: `ok`, counts and problems. Raises Failed and Stopped."""
        with Children(self._directory, self._environment) as children:
            held = self._publish()
            before = self._consume_and_kill(children, held)
            if skip_held:
                self._skip(held)
            after = self._consume_again(children)
            registry.close_brokers()
            return self._result(self._evidence(held, before, after))

    def _publish(self) -> Place:
        say("Publishing, with a shipment in it that will be held ...")
        self._traffic.flow(120)
        held = self._traffic.hold()
        self._traffic.flow(120)
        return held

    def _consume_and_kill(self, children: Children, held: Place) -> Child:
        """Wait until all is handled and one record held; kill the consumers while more is on its way."""
        child = children.manage("consumers-1", "runconsumers")
        self._await(child, lambda: self._stored() == self._goals(held), "all is handled and one record held")
        say("One record is held, all others are handled. Killing the consumers in the middle of more ...")
        count = len(self._deliveries(child))
        self._traffic.flow(40)
        self._await(child, lambda: len(self._deliveries(child)) > count, "a further record is handled")
        child.kill()
        self._traffic.flow(40)
        return child

    def _consume_again(self, children: Children) -> Child:
        say("Starting the consumers again ...")
        child = children.manage("consumers-2", "runconsumers")
        self._await(child, lambda: self._is_read_by(child), "all is read again")
        say("All is read. Stopping the consumers ...")
        child.ask()
        if child.join() != 0:
            raise child.ended()
        return child

    def _skip(self, held: Place) -> None:
        """Do what must never happen: move the stored checkpoint past the held record."""
        say("Moving the checkpoint past the held record ...")
        self._checkpoint(held).update(position=held.position + 1)

    def _await(self, child: Child, condition: Any, what: str) -> None:
        self._stop.until(lambda: not child.is_running or condition(), SECONDS, what)
        if not child.is_running:
            raise child.ended()

    def _deliveries(self, child: Child) -> list[Any]:
        return deliveries(self._directory / "deliveries", child.pid)

    def _ends(self) -> dict[tuple[str, str], int]:
        """Return the ends of all shards, by subscription and shard."""
        ends = {}
        for mount in registry.mounts().values():
            broker = registry.broker(mount.broker)
            bounds = broker.bounds(broker.shards(mount.source))
            ends |= {(mount.name, shard.id): kept.end for shard, kept in bounds.items()}
        return ends

    def _goals(self, held: Place) -> dict[tuple[str, str], int]:
        return {**self._ends(), (SHIPPING, held.shard): held.position}

    def _stored(self) -> dict[tuple[str, str], int]:
        rows = Checkpoint.objects.values_list("subscription__name", "shard", "position")
        return {(name, shard): position for name, shard, position in rows}

    def _is_read_by(self, child: Child) -> bool:
        """Tell whether the last record of each shard of shipments was delivered, and all else is saved."""
        last = {delivery.shard: delivery.position + 1 for delivery in self._deliveries(child)}
        stored = self._stored()
        return all(
            last.get(shard, stored[name, shard]) == end if name == SHIPPING else stored[name, shard] == end
            for (name, shard), end in self._ends().items()
        )

    def _checkpoint(self, held: Place) -> Any:
        return Checkpoint.objects.filter(subscription__name=SHIPPING, shard=held.shard)

    def _evidence(self, held: Place, before: Child, after: Child) -> Evidence:
        shown = HeldRecord.objects.filter(checkpoint__in=self._checkpoint(held), position=held.position)
        return Evidence(
            held=held,
            end=self._ends()[SHIPPING, held.shard],
            before=self._deliveries(before),
            after=self._deliveries(after),
            checkpoint=self._checkpoint(held).get().position,
            is_shown=shown.exists(),
            expected=self._traffic.booked,
            booked=set(Booking.objects.values_list("shipment_id", flat=True)),
            expected_spend=self._traffic.spend,
            spend=dict(Spend.objects.values_list("entry_id", "cents")),
        )

    def _result(self, evidence: Evidence) -> dict[str, Any]:
        found = problems(evidence)
        return {
            "ok": not found,
            "published": self._traffic.published,
            "other_records": self._traffic.published - self._traffic.shipments,
            "shipments": self._traffic.shipments,
            "booked": len(evidence.booked),
            "dropped": self._traffic.dropped,
            "held": HeldRecord.objects.count(),
            "redelivered": evidence.redelivered,
            "lost": len(evidence.expected - evidence.booked),
            "problems": found,
        }
