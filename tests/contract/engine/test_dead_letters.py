"""A record that no attempt could handle is kept whole, with its failure, and its shard goes on."""

from base64 import b64decode

import pytest
from django.contrib.auth.models import Group

from streamapp import Context, Outcome
from streamapp.ladder import Ladder, Retry
from streamapp.models import DeadLetter, DelayedRecord, HeldRecord
from tests.contract.engine.project import Project, Running

AT_ONCE = Ladder(most_attempts=1)
TRANSACTIONS = pytest.mark.parametrize("transaction", ["none", "handler", "checkpoint"])


def fail_b(order: str) -> None:
    if order == "b":
        raise ValueError("no such carrier")


def letters(running: Running) -> list[DeadLetter]:
    return list(DeadLetter.objects.filter(subscription=running.mount.name).order_by("id"))


@TRANSACTIONS
def test_it_is_kept_with_its_failure_and_the_checkpoint_passes_it(project: Project, transaction):
    mount = project.mount(fail_b, ladder=AT_ONCE, transaction=transaction)
    running = project.start(mount)
    running.publish("a")
    running.publish("b", key="k", headers={"by": "test"})
    running.run("c")
    assert running.checkpoint() == 3
    (letter,) = letters(running)
    assert (bytes(letter.value), bytes(letter.key)) == (b"b", b"k")
    assert b64decode(letter.headers["by"]) == b"test"
    assert (letter.exception, letter.message) == ("builtins.ValueError", "no such carrier")
    assert "fail_b" in letter.trace
    assert (letter.attempts, letter.stream) == (1, running.stream)
    assert letter.origin == f"{letter.stream}/{letter.shard}@{project.bench.broker.describe(letter.position)}"
    assert not HeldRecord.objects.exists()


@TRANSACTIONS
def test_one_that_is_the_last_of_its_shard_is_stored_as_settled(project: Project, transaction):
    mount = project.mount(fail_b, ladder=AT_ONCE, transaction=transaction)
    running = project.start(mount).run("a", "b")
    assert running.checkpoint() == 2
    running.service.restart()
    running.run()
    assert running.settled == []
    assert len(letters(running)) == 1


@pytest.mark.parametrize("transaction", ["handler", "checkpoint"])
def test_what_its_handler_wrote_is_gone(project: Project, transaction):
    """Fault 20: a handler writes a row and then raises; the outcome is a dead letter."""

    def write_and_fail(order: str) -> None:
        Group.objects.create(name=order)
        fail_b(order)

    mount = project.mount(write_and_fail, ladder=AT_ONCE, transaction=transaction)
    running = project.start(mount).run("a", "b", "c")
    assert set(Group.objects.values_list("name", flat=True)) == {"a", "c"}
    assert [bytes(letter.value) for letter in letters(running)] == [b"b"]
    assert running.checkpoint() == 3


def test_the_attempts_in_place_come_first(project: Project):
    calls = []

    def handle(order: str, ctx: Context) -> Outcome:
        calls.append((order, ctx.attempt))
        return Outcome.retry("busy") if order == "a" else Outcome.ack()

    mount = project.mount(handle, retry=Retry(3, 0.1, 0.1), ladder=Ladder(most_attempts=3))
    running = project.start(mount).run("a", "b", advance=True)
    assert calls == [("a", 1), ("a", 2), ("a", 3), ("b", 1)]
    (letter,) = letters(running)
    assert (letter.attempts, letter.reason, letter.exception) == (3, "busy", "")


@TRANSACTIONS
def test_records_of_a_failing_batch_are_kept_one_by_one(project: Project, transaction):
    def handle(orders: list[str]) -> list[Outcome]:
        return [Outcome.retry("busy") if order in "bd" else Outcome.ack() for order in orders]

    mount = project.mount(handle, ladder=AT_ONCE, transaction=transaction)
    running = project.start(mount).run(*"abcde")
    assert [bytes(letter.value) for letter in letters(running)] == [b"b", b"d"]
    assert running.checkpoint() == 5


def test_under_exactly_once_the_letter_and_the_checkpoint_are_one_commit(project: Project):
    calls = []

    def handle(order: str) -> None:
        calls.append(order)
        fail_b(order)

    mount = project.mount(handle, ladder=AT_ONCE, transaction="checkpoint")
    running = project.start(mount).run("a", "b", save=False)
    running.service.crash()
    running.run()
    assert calls == ["a", "b"]
    assert len(letters(running)) == 1


def test_after_a_rewind_its_letter_tells_of_the_last_failure(project: Project):
    said = ["first"]

    def fail(order: str) -> None:
        raise ValueError(said[0])

    running = project.start(project.mount(fail, ladder=AT_ONCE)).run("a", save=False)
    said[0] = "second"
    running.service.crash()
    running.run()
    assert [letter.message for letter in letters(running)] == ["second"]


def test_without_a_limit_of_attempts_nothing_changes(project: Project):
    running = project.start(project.mount(fail_b)).run("a", "b", "c")
    assert running.held == [(b"b", "hold")]
    assert not DeadLetter.objects.exists()
    assert not DelayedRecord.objects.exists()
