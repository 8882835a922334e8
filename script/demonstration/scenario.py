"""The check itself, from the first record to the verdict."""

from pathlib import Path
from typing import Any

from django.conf import settings

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
            evidence = self._evidence(held, before, after)
            registry.close_brokers()
            return self._result(evidence)

    def _publish(self) -> Place:
        say("Publishing, with a shipment in it that will be held ...")
        self._traffic.flow(120)
        held = self._traffic.hold()
        self._traffic.flow(120)
        return held

    def _consume_and_kill(self, children: Children, held: Place) -> Child:
        """Wait until all is handled and one record held; kill the consumers while more is on its way."""
        child = children.manage("consumers-1", "runconsumers")
        self._await(child, lambda: self._is_handled(held), "all is handled and one record held")
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
        """Return the ends of all shards with records, by subscription and shard."""
        mounts = registry.mounts().values()
        ends = self._traffic.ends().items()
        return {
            (mount.name, shard.id): end
            for mount in mounts
            for shard, end in ends
            if shard.stream in mount.source.streams()
        }

    def _is_handled(self, held: Place) -> bool:
        stored = self._stored()
        goals = {**self._ends(), (SHIPPING, held.shard): held.position}
        return all(stored.get(shard) == goal for shard, goal in goals.items())

    def _stored(self) -> dict[tuple[str, str], int]:
        rows = Checkpoint.objects.values_list("subscription__name", "shard", "position")
        return {(name, shard): position for name, shard, position in rows}

    def _is_read_by(self, child: Child) -> bool:
        """Tell whether everything is saved, or for shipments at least delivered: one is held."""
        last = {delivery.shard: delivery.position + 1 for delivery in self._deliveries(child)}
        stored = self._stored()
        return all(
            end == stored.get((name, shard)) or (name == SHIPPING and end == last.get(shard))
            for (name, shard), end in self._ends().items()
        )

    def _checkpoint(self, held: Place) -> Any:
        return Checkpoint.objects.filter(subscription__name=SHIPPING, shard=held.shard)

    def _evidence(self, held: Place, before: Child, after: Child) -> Evidence:
        shown = HeldRecord.objects.filter(checkpoint__in=self._checkpoint(held), position=held.position)
        return Evidence(
            held=held,
            behind={
                at.position
                for at in self._traffic.shipments()
                if at.shard == held.shard and at.position >= held.position
            },
            before=self._deliveries(before),
            after=self._deliveries(after),
            checkpoint=self._checkpoint(held).get().position,
            is_shown=shown.exists(),
            expected=self._traffic.booked,
            booked=set(Booking.objects.values_list("shipment_id", flat=True)),
            expected_spend=self._traffic.spend,
            spend=dict(Spend.objects.values_list("entry_id", "cents")),
            describe=registry.broker(settings.SHIPMENTS_BROKER).describe,
        )

    def _result(self, evidence: Evidence) -> dict[str, Any]:
        found = problems(evidence)
        published, shipments = len(self._traffic.published), len(self._traffic.shipments())
        return {
            "ok": not found,
            "published": published,
            "other_records": published - shipments,
            "shipments": shipments,
            "booked": len(evidence.booked),
            "dropped": self._traffic.dropped,
            "held": HeldRecord.objects.count(),
            "redelivered": evidence.redelivered,
            "lost": len(evidence.expected - evidence.booked),
            "problems": found,
        }
