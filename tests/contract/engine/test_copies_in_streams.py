"""Copies and dead letters that go to a stream: confirmed before the record is settled."""

import json
from contextlib import closing
from datetime import datetime

import pytest

from streamapp import Context, Outcome
from streamapp.brokers.base import Broker
from streamapp.copies import Copied
from streamapp.exceptions import BrokerUnavailable, PublishFailed
from streamapp.ladder import Backoff, Ladder
from streamapp.models import DelayedRecord, HeldRecord
from streamapp.records import Record
from tests.contract.broker.reading import Reading
from tests.contract.engine.project import Project, Running

TRANSACTIONS = pytest.mark.parametrize("transaction", ["none", "handler", "checkpoint"])
MINUTE, STEP = 60, 5


class Gatekeeper:
    """Stands in front of a broker's `publish` and refuses in the ways it is told to."""

    def __init__(self, broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
        self.tries: list[str] = []
        self.mood = "open"
        self._publish = broker.publish
        monkeypatch.setattr(broker, "publish", self.publish)

    def publish(self, destination, value, **options):
        self.tries.append(destination)
        if self.mood == "refuses":
            raise BrokerUnavailable("nobody is there")
        stored = self._publish(destination, value, **options)
        if self.mood == "doesn't confirm":
            raise PublishFailed("not confirmed within 1 s")
        return stored


def fail_b(order: str) -> None:
    if order == "b":
        raise ValueError("no such\ncarrier")


def read(project: Project, stream: str, count: int = 1) -> list[Record]:
    bench = project.bench
    with closing(bench.reader(stream)) as reader:
        shards = bench.shards(stream)
        reader.open({shard: bounds.first for shard, bounds in bench.broker.bounds(shards).items()})
        return Reading(reader).take(count)


def broker_of(running: Running) -> Broker:
    return running.service._worker.consumers[0].leaving._broker


def tick(running: Running, seconds: float) -> None:
    clock = running.service._stage.clock
    clock.move_to(clock() + seconds)
    running.run()


@TRANSACTIONS
def test_a_copy_carries_its_story_and_the_shard_goes_on(project: Project, transaction):
    later = project.bench.stream()
    mount = project.mount(fail_b, ladder=Ladder(3, copies=later), transaction=transaction)
    running = project.start(mount)
    running.publish("a")
    running.publish("b", key="k", headers={"by": "test"})
    running.run("c")
    assert running.checkpoint() == 3
    (copy,) = read(project, later)
    assert (copy.value, copy.key, copy.headers["by"]) == (b"b", b"k", b"test")
    story = Copied.read(copy.headers)
    assert (story.attempt, story.reason) == (2, "ValueError('no such\\ncarrier')")
    assert story.origin.startswith(f"{running.stream}/")
    assert isinstance(story.first_failed_at, datetime)


def test_a_copy_in_the_source_is_read_again_and_given_up_after_the_last_attempt(project: Project):
    calls = []

    def handle(order: str, ctx: Context) -> Outcome:
        calls.append((order, ctx.attempt))
        return Outcome.retry("busy") if order == "b" else Outcome.ack()

    dead = project.bench.stream()
    mount = project.mount(handle)
    mount = project.mount(
        handle, source=mount.source, ladder=Ladder(3, mount.source.streams()[0], letters=dead)
    )
    running = project.start(mount).run("a", "b", "c")
    running.run()
    assert calls == [("a", 1), ("b", 1), ("c", 1), ("b", 2), ("b", 3)]
    (letter,) = read(project, dead)
    assert Copied.read(letter.headers).attempt == 3


@TRANSACTIONS
def test_a_dead_letter_carries_payload_and_failure(project: Project, transaction):
    dead = project.bench.stream()
    mount = project.mount(fail_b, ladder=Ladder(1, letters=dead), transaction=transaction)
    running = project.start(mount)
    running.publish("b", key="k", headers={"by": "test"})
    running.run("c")
    assert running.checkpoint() == 2
    (letter,) = read(project, dead)
    assert (letter.value, letter.key, letter.headers["by"]) == (b"b", b"k", b"test")
    told = {name: letter.headers[f"streamapp-{name}"] for name in ("exception", "message", "trace")}
    assert json.loads(told["exception"]) == "builtins.ValueError"
    assert json.loads(told["message"]) == "no such\ncarrier"
    assert "fail_b" in json.loads(told["trace"])


@TRANSACTIONS
def test_while_a_dead_letter_is_refused_its_record_stays_held(project: Project, transaction, monkeypatch):
    """The broker refuses, then accepts without confirming, then confirms."""
    calls = []

    def handle(order: str) -> None:
        calls.append(order)
        fail_b(order)

    dead = project.bench.stream()
    mount = project.mount(handle, ladder=Ladder(1, letters=dead), transaction=transaction)
    running = project.start(mount)
    gatekeeper = Gatekeeper(broker_of(running), monkeypatch)
    running.publish("a", "b", "c")
    for mood in ("refuses", "doesn't confirm"):
        gatekeeper.mood, gatekeeper.tries = mood, []
        running.run()
        for _ in range(MINUTE // STEP):
            tick(running, STEP)
        assert running.checkpoint() == 1
        assert 5 <= len(gatekeeper.tries) <= 7
        (held,) = HeldRecord.objects.all()
        assert "dead letter not written" in held.reason
    assert calls == ["a", "b", "c"]

    gatekeeper.mood, gatekeeper.tries = "open", []
    tick(running, 10.0)
    running.run()
    assert gatekeeper.tries == [dead]
    assert running.checkpoint() == 3
    assert not HeldRecord.objects.exists()
    assert calls == ["a", "b", "c"]


def test_many_failures_do_not_make_more_tries(project: Project, monkeypatch):
    def fail(order: str) -> None:
        raise ValueError("broken deploy")

    dead = project.bench.stream()
    running = project.start(project.mount(fail, ladder=Ladder(1, letters=dead)))
    gatekeeper = Gatekeeper(broker_of(running), monkeypatch)
    running.publish(*"abcdefgh")
    gatekeeper.mood, gatekeeper.tries = "refuses", []
    running.run()
    assert len(gatekeeper.tries) == 1
    assert running.checkpoint() == 0

    gatekeeper.mood = "open"
    tick(running, 10.0)
    assert running.checkpoint() == 8
    assert sorted(record.value for record in read(project, dead, 8)) == [
        b"%c" % letter for letter in b"abcdefgh"
    ]


def test_a_record_that_is_refused_for_its_own_sake_keeps_no_other_from_leaving(project: Project, monkeypatch):
    def fail(order: str) -> None:
        raise ValueError("busy")

    dead = project.bench.stream()
    running = project.start(project.mount(fail, ladder=Ladder(1, letters=dead)))
    broker = broker_of(running)
    publish = broker.publish

    def too_large_a(destination, value, **options):
        if value == b"a" and destination == dead:
            raise PublishFailed("too large")
        return publish(destination, value, **options)

    monkeypatch.setattr(broker, "publish", too_large_a)
    running.run("a", "b", "c")
    tick(running, 10.0)
    tick(running, 10.0)
    tick(running, 10.0)
    assert [held.position for held in HeldRecord.objects.all()] == project.published[
        project.bench.shards(running.stream)[0]
    ][:1]
    assert {record.value for record in read(project, dead, 2)} == {b"b", b"c"}


def test_what_nobody_thought_of_holds_the_record_and_ends_no_worker(project: Project, monkeypatch):
    """It would end every worker that takes the shard."""
    dead = project.bench.stream()
    running = project.start(project.mount(fail_b, ladder=Ladder(1, letters=dead)))

    def stumble(*_, **__):
        raise OverflowError("no such number")

    running.publish("a", "b", "c")
    with monkeypatch.context() as broken:
        broken.setattr(broker_of(running), "publish", stumble)
        running.run()
    assert running.checkpoint() == 1
    assert "no such number" in HeldRecord.objects.get().reason
    tick(running, 10.0)
    assert running.checkpoint() == 3


def test_copies_whose_letters_are_refused_keep_no_other_copy_waiting(project: Project, monkeypatch):
    def fail(order: str) -> None:
        if order.startswith("large") or order not in seen:
            seen.append(order)
            raise ValueError("busy")

    seen, dead = [], project.bench.stream()
    ladder = Ladder(2, backoff=Backoff(0.0, 0.0), letters=dead)
    running = project.start(project.mount(fail, ladder=ladder))
    broker = broker_of(running)
    publish = broker.publish

    def refuse(destination, value, **options):
        if destination == dead:
            raise PublishFailed("too large")
        return publish(destination, value, **options)

    monkeypatch.setattr(broker, "publish", refuse)
    running.publish(*(f"large {number}" for number in range(12)))
    rounds(running, 5)
    running.publish("small")
    rounds(running, 5)
    assert DelayedRecord.objects.count() == 12
    assert seen.count("small") == 1


def rounds(running: Running, count: int) -> None:
    """Go round without waiting for copies that stay in hand."""
    for _ in range(count):
        running.service._stage.run_once(0.0, save=True)
