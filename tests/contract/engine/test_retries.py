"""Retries in place: how often, in which order, and what comes after the last attempt."""

from collections import Counter

import pytest

from streamapp import Context, Outcome
from streamapp.mount import Retry
from tests.contract.engine.project import Project

RETRY = Retry(attempts=3, first=1.0, most=60.0)


class Flaky:
    """A handler that fails so often for each order before it succeeds; by a raise or by an outcome."""

    def __init__(self, **failures: int) -> None:
        self.left = Counter(failures)
        self.calls: list[tuple[str, int]] = []

    def returning(self, order: str, ctx: Context) -> Outcome:
        self.calls.append((order, ctx.attempt))
        self.left[order] -= 1
        return Outcome.retry("busy") if self.left[order] >= 0 else Outcome.ack()

    def raising(self, order: str, ctx: Context) -> None:
        if self.returning(order, ctx) != Outcome.ack():
            raise ValueError("busy")


@pytest.mark.parametrize("way", ["returning", "raising"])
def test_a_record_is_repeated_before_later_ones_of_its_shard(project: Project, way):
    flaky = Flaky(b=2)
    running = project.start(project.mount(getattr(flaky, way), retry=RETRY)).run("a", "b", "c", advance=True)
    assert flaky.calls == [("a", 1), ("b", 1), ("b", 2), ("b", 3), ("c", 1)]
    assert running.checkpoint() == 3


@pytest.mark.parametrize("way", ["returning", "raising"])
def test_after_the_last_attempt_it_is_held_and_later_ones_are_handled(project: Project, way):
    flaky = Flaky(b=9)
    running = project.start(project.mount(getattr(flaky, way), retry=RETRY)).run("a", "b", "c", advance=True)
    assert [attempt for order, attempt in flaky.calls if order == "b"] == [1, 2, 3]
    assert running.settled == [(b"a", "ack"), (b"c", "ack")]
    assert running.held == [(b"b", "hold")]
    assert running.checkpoint() == 1


def test_without_a_policy_a_failure_is_held_at_once(project: Project):
    flaky = Flaky(a=9)
    running = project.start(project.mount(flaky.raising)).run("a", "b", advance=True)
    assert flaky.calls == [("a", 1), ("b", 1)]
    assert running.held == [(b"a", "hold")]
    assert "busy" in running.service.held[0].outcome.reason


def test_the_wait_doubles_up_to_the_longest(project: Project):
    flaky = Flaky(a=9)
    policy = Retry(attempts=5, first=10.0, most=25.0)
    running = project.start(project.mount(flaky.returning, retry=policy)).run("a")
    waits = []
    while waiting := running.service.waiting:
        waits.append(waiting[0].seconds)
        running.service.advance()
        running.run()
    assert waits == [10.0, 20.0, 25.0, 25.0]


def test_only_the_shard_of_the_failing_record_waits(project: Project):
    flaky = Flaky(b=1)
    running = project.start(project.mount(flaky.returning, partitions=2, retry=RETRY))
    running.publish("b", "b2", shard=0, partitions=2)
    running.run()
    running.publish("b3", shard=0, partitions=2)
    running.publish("c", "d", shard=1, partitions=2)
    running.run()
    assert running.settled == [(b"c", "ack"), (b"d", "ack")]
    assert (running.checkpoint(0), running.checkpoint(1)) == (0, 2)
    running.run(advance=True)
    assert [order for order, _ in flaky.calls] == ["b", "c", "d", "b", "b2", "b3"]
    assert (running.checkpoint(0), running.checkpoint(1)) == (3, 2)
