"""HOLD: what waits behind a held record, and how it comes back in order without a restart."""

import pytest

from streamapp import Outcome
from streamapp.brokers.base import Broker
from streamapp.exceptions import BrokerUnavailable
from streamapp.ladder import Ladder
from streamapp.models import HeldRecord
from streamapp.services.actions import Asker, Skip
from tests.contract.engine.project import Project, Running

KEYS = {"x": "key one", "y": "key two"}


class Clerk:
    """Fails for what it is told to, so that it becomes a dead letter, or holds it; remembers what it got."""

    def __init__(self, *failing: str) -> None:
        self.failing = set(failing)
        self.held: set[str] = set()
        self.seen: list[str] = []

    def handle(self, order: str) -> Outcome:
        self.seen.append(order)
        if order in self.failing:
            raise ValueError("no")
        return Outcome.hold("asked to") if order in self.held else Outcome.ack()

    def batch(self, orders: list[str]) -> list[Outcome]:
        self.seen += orders
        outcomes = {order: Outcome.ack() for order in orders}
        outcomes.update({order: Outcome.retry("no") for order in orders if order in self.failing})
        return list(outcomes.values())


class Closed:
    """A broker that takes no dead letters until it is opened: so failing records are held for a while."""

    def __init__(self, broker: Broker, dead: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_open = False
        publish = broker.publish

        def guarded(destination, value, **options):
            if destination == dead and not self.is_open:
                raise BrokerUnavailable("closed")
            return publish(destination, value, **options)

        monkeypatch.setattr(broker, "publish", guarded)


def start(project: Project, handler, monkeypatch, **options) -> tuple[Running, Closed]:
    dead = project.bench.stream()
    running = project.start(project.mount(handler, ladder=Ladder(1, letters=dead), **options))
    broker = running.service._worker.consumers[0].leaving._broker
    return running, Closed(broker, dead, monkeypatch)


def publish(running: Running, *orders: str) -> None:
    """Publish orders whose first letter is their key."""
    for order in orders:
        running.publish(order, key=KEYS[order[0]])


def settle_held(running: Running, closed: Closed) -> None:
    closed.is_open = True
    clock = running.service._stage.clock
    clock.move_to(clock() + 10.0)
    running.run()
    running.run()


@pytest.mark.parametrize(
    ("hold", "before", "after"),
    [
        ("record", ["x1", "x2", "y1", "x3", "y2"], []),
        ("key", ["x1", "x2", "y1", "y2"], ["x3"]),
        ("shard", ["x1", "x2"], ["y1", "x3", "y2"]),
    ],
)
def test_they_come_back_in_order_when_it_is_settled(project: Project, monkeypatch, hold, before, after):
    clerk = Clerk("x2")
    running, closed = start(project, clerk.handle, monkeypatch, hold=hold)
    publish(running, "x1", "x2", "y1", "x3", "y2")
    running.run()
    assert (clerk.seen, running.checkpoint()) == (before, 1)
    settle_held(running, closed)
    assert clerk.seen == before + after
    assert running.checkpoint() == 5


@pytest.mark.parametrize("transaction", ["none", "handler", "checkpoint"])
def test_later_polls_wait_too_and_in_order(project: Project, monkeypatch, transaction):
    clerk = Clerk("x1")
    running, closed = start(project, clerk.handle, monkeypatch, hold="key", transaction=transaction)
    for order in ("x1", "y1", "x2", "x3", "y2", "x4"):
        publish(running, order)
        running.run()
    assert clerk.seen == ["x1", "y1", "y2"]
    settle_held(running, closed)
    assert clerk.seen[3:] == ["x2", "x3", "x4"]
    assert running.checkpoint() == 6


def test_one_of_them_that_is_held_again_stops_those_behind_it(project: Project, monkeypatch):
    clerk = Clerk("x1", "x3")
    running, closed = start(project, clerk.handle, monkeypatch, hold="key")
    publish(running, "x1", "x2", "x3", "x4", "y1")
    clerk.held = {"x2"}
    running.run()
    settle_held(running, closed)
    assert clerk.seen == ["x1", "y1", "x2"]
    assert running.checkpoint() == 1


@pytest.mark.parametrize("hold", ["key", "shard"])
def test_all_held_ones_must_end_before_a_batch_brings_the_others(project: Project, monkeypatch, hold):
    clerk = Clerk("x1", "x2")
    running, closed = start(project, clerk.batch, monkeypatch, hold=hold)
    publish(running, "x1", "x2")
    running.run()
    publish(running, "x3", "y1")
    running.run()
    # A broker may bring the first two one by one: then one waits for the other.
    assert "x3" not in clerk.seen
    assert ("y1" in clerk.seen) == (hold == "key")
    settle_held(running, closed)
    assert sorted(clerk.seen) == ["x1", "x2", "x3", "y1"]
    assert running.checkpoint() == 4


@pytest.mark.parametrize(
    ("hold", "before", "after"),
    [
        ("record", ["x1", "x3", "y1"], []),
        ("key", ["x1", "y1"], ["x3"]),
        ("shard", ["x1"], ["x3", "y1"]),
    ],
)
def test_behind_an_undecodable_one_they_wait_too_in_its_own_batch(project: Project, hold, before, after):
    clerk = Clerk()
    running = project.start(project.mount(clerk.batch, hold=hold, on_undecodable="hold"))
    publish(running, "x1")
    running.publish(b"x2 \xff", key=KEYS["x"])
    publish(running, "x3", "y1")
    running.run()
    assert (clerk.seen, running.checkpoint()) == (before, 1)
    held = HeldRecord.objects.select_related("checkpoint__subscription").get()
    Skip(held.checkpoint, held.position).do(Asker("test", reason="cut off"))
    running.run()
    running.run()
    assert (clerk.seen, running.checkpoint()) == (before + after, 4)


@pytest.mark.parametrize("redeliver", ["all", "unsettled"])
def test_after_a_restart_it_comes_first_and_they_wait_again(project: Project, monkeypatch, redeliver):
    clerk = Clerk()
    clerk.held = {"x2"}
    running, _ = start(project, clerk.handle, monkeypatch, hold="key", redeliver=redeliver)
    publish(running, "x1", "x2", "y1", "x3")
    running.run()
    assert clerk.seen == ["x1", "x2", "y1"]
    clerk.seen.clear()
    running.service.restart()
    running.run()
    assert clerk.seen == (["x2", "y1"] if redeliver == "all" else ["x2"])
    clerk.held.clear()
    clerk.seen.clear()
    running.service.restart()
    running.run()
    assert [order for order in clerk.seen if order[0] == "x"] == ["x2", "x3"]
    assert running.checkpoint() == 4


def test_a_shard_that_waits_is_read_no_further_than_max_ahead(project: Project, monkeypatch):
    clerk = Clerk()
    clerk.held = {"x0"}
    running, _ = start(project, clerk.handle, monkeypatch, hold="shard", max_ahead=10)
    publish(running, *(f"x{number}" for number in range(40)))
    running.run()
    (state,) = running.service._worker.consumers[0].holdings.states.values()
    assert state.watermark.ahead() <= 10
    assert clerk.seen == ["x0"]
