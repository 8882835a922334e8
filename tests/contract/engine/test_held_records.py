"""A held record comes back first, with everything behind it, and only its shard waits."""

from streamapp import Outcome
from streamapp.models import HeldRecord
from tests.contract.engine.project import Project

PARTITIONS = 2


class Clerk:
    """Holds what it is told to and remembers what it was given."""

    def __init__(self, *held: str) -> None:
        self.held = set(held)
        self.seen: list[str] = []

    def handle(self, order: str) -> Outcome:
        self.seen.append(order)
        return Outcome.hold("asked to") if order in self.held else Outcome.ack()

    def seen_since(self) -> list[str]:
        seen, self.seen = self.seen, []
        return seen


def test_after_a_restart_it_comes_first_and_all_behind_it_again(project: Project):
    clerk = Clerk("b")
    running = project.start(project.mount(clerk.handle)).run("a", "b", "c", "d")
    assert clerk.seen_since() == ["a", "b", "c", "d"]
    running.service.restart()
    running.run()
    assert clerk.seen_since() == ["b", "c", "d"]
    assert running.checkpoint() == 1


def test_after_a_crash_too(project: Project):
    clerk = Clerk("b")
    running = project.start(project.mount(clerk.handle)).run("a", "b", "c", "d")
    clerk.seen_since()
    running.service.crash()
    running.run()
    assert clerk.seen_since() == ["b", "c", "d"]


def test_on_another_worker_that_took_the_shard_too(project: Project):
    clerk = Clerk("b")
    running = project.start(project.mount(clerk.handle))
    other = project.start(beside=running.service)
    running.run("a", "b", "c", "d")
    owner, heir = (running, other) if running.held else (other, running)
    assert clerk.seen_since() == ["a", "b", "c", "d"]

    owner.service.die()
    heir.service.run()
    assert clerk.seen_since() == ["b", "c", "d"]
    assert heir.held == [(b"b", "hold")]


def test_once_it_is_settled_the_checkpoint_passes_all_of_them(project: Project):
    clerk = Clerk("b")
    running = project.start(project.mount(clerk.handle)).run("a", "b", "c", "d")
    clerk.held.clear()
    running.service.restart()
    running.run()
    assert running.checkpoint() == 4
    assert not HeldRecord.objects.exists()


def test_several_held_records_are_passed_one_after_the_other(project: Project):
    clerk = Clerk("b", "d")
    running = project.start(project.mount(clerk.handle)).run("a", "b", "c", "d", "e")
    assert running.checkpoint() == 1
    clerk.held.remove("b")
    running.service.restart()
    running.run()
    assert running.checkpoint() == 3
    assert running.held == [(b"d", "hold")]


def test_only_its_shard_waits(project: Project):
    clerk = Clerk("b")
    running = project.start(project.mount(clerk.handle, partitions=PARTITIONS))
    running.publish("a", "b", "c", shard=0, partitions=PARTITIONS)
    running.publish("d", "e", shard=1, partitions=PARTITIONS)
    running.run()
    running.publish("f", shard=0, partitions=PARTITIONS)
    running.publish("g", shard=1, partitions=PARTITIONS)
    running.run()
    assert sorted(clerk.seen_since()) == list("abcdefg")
    assert (running.checkpoint(0), running.checkpoint(1)) == (1, 3)

    running.service.restart()
    running.run()
    assert clerk.seen_since() == ["b", "c", "f"]


def test_a_shard_too_far_ahead_of_it_pauses_and_says_so_while_others_go_on(project: Project, caplog):
    def handle(orders: list[str]) -> list[Outcome]:
        return [Outcome.hold() if order == "held" else Outcome.ack() for order in orders]

    mount = project.mount(handle, partitions=PARTITIONS, batch=5, max_ahead=15)
    running = project.start(mount)
    running.publish("held", *["waits"] * 30, shard=0, partitions=PARTITIONS)
    running.publish(*["goes on"] * 30, shard=1, partitions=PARTITIONS)
    running.run()
    values = [value for value, _ in running.settled]
    assert values.count(b"goes on") == 30
    assert 10 <= values.count(b"waits") < 15
    assert (running.checkpoint(0), running.checkpoint(1)) == (0, 30)
    (line,) = [record.getMessage() for record in caplog.records if "Shard paused" in record.message]
    assert f"shard={project.bench.shards(running.stream)[0]}" in line
