"""A copy in the database comes again when it is due, to this subscription only, and survives whoever dies."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.contrib.auth.models import Group

from streamapp import Context, Outcome
from streamapp.copies import Copied
from streamapp.ladder import Backoff, Ladder, Retry
from streamapp.models import DeadLetter, DelayedRecord
from tests.contract.engine.project import Project, Running

AT_ONCE = Backoff(0.0, 0.0)
HOUR = Backoff(3600.0, 3600.0)
TRANSACTIONS = pytest.mark.parametrize("transaction", ["none", "handler", "checkpoint"])


class Flaky:
    """Fails so often for order b; remembers what it was given."""

    def __init__(self, failures: int) -> None:
        self.left = failures
        self.calls: list[tuple[str, int]] = []

    def handle(self, order: str, ctx: Context) -> None:
        self.calls.append((order, ctx.attempt))
        if order == "b":
            Group.objects.create(name=f"attempt {ctx.attempt}")
            self.left -= 1
            if self.left >= 0:
                raise ValueError("busy")


def delayed(running: Running) -> list[DelayedRecord]:
    return list(DelayedRecord.objects.filter(subscription=running.mount.name))


def become_due(running: Running) -> None:
    DelayedRecord.objects.filter(subscription=running.mount.name).update(
        due_at=datetime.now(UTC) - timedelta(seconds=1)
    )
    # Claimed and handled in the first round, its row ended in the second.
    running.run()
    running.run()


@TRANSACTIONS
def test_a_copy_is_handled_when_it_is_due_and_its_row_goes(project: Project, transaction):
    flaky = Flaky(1)
    mount = project.mount(flaky.handle, ladder=Ladder(3, backoff=HOUR), transaction=transaction)
    running = project.start(mount).run("a", "b", "c")
    assert running.checkpoint() == 3
    assert flaky.calls == [("a", 1), ("b", 1), ("c", 1)]
    (row,) = delayed(running)
    assert (row.attempt, row.reason) == (2, "ValueError('busy')")
    become_due(running)
    assert flaky.calls[3:] == [("b", 2)]
    assert delayed(running) == []
    names = set(Group.objects.values_list("name", flat=True))
    assert names == ({"attempt 1", "attempt 2"} if transaction == "none" else {"attempt 2"})


@TRANSACTIONS
def test_the_last_attempt_is_followed_by_a_dead_letter_of_the_first_place(project: Project, transaction):
    flaky = Flaky(9)
    mount = project.mount(flaky.handle, ladder=Ladder(3, backoff=AT_ONCE), transaction=transaction)
    running = project.start(mount).run("a", "b")
    running.service.run()
    become_due(running)
    become_due(running)
    assert [attempt for order, attempt in flaky.calls if order == "b"] == [1, 2, 3]
    assert delayed(running) == []
    (letter,) = DeadLetter.objects.all()
    place = project.published[project.bench.shards(running.stream)[0]][1]
    assert (letter.attempts, letter.position) == (3, place)
    assert letter.first_failed_at < letter.created_at


def test_a_copy_tells_its_handler_where_it_came_from(project: Project):
    seen = []

    def handle(order: str, ctx: Context) -> Outcome:
        seen.append((ctx.attempt, ctx.position, Copied.read(ctx.headers), ctx.headers.get("by")))
        return Outcome.retry("busy") if len(seen) == 1 else Outcome.ack()

    running = project.start(project.mount(handle, ladder=Ladder(2, backoff=AT_ONCE)))
    running.publish("a", headers={"by": "test"})
    running.run()
    running.run()
    (first, second) = seen
    assert (first[0], first[2], first[3]) == (1, None, b"test")
    assert (second[0], second[1], second[3]) == (2, first[1], b"test")
    assert (second[2].attempt, second[2].reason) == (2, "busy")
    assert second[2].origin.startswith(running.stream)


def test_the_handler_may_ask_for_a_delay_without_a_limit_of_attempts(project: Project):
    calls = []

    def handle(order: str, ctx: Context) -> Outcome:
        calls.append((order, ctx.attempt))
        Group.objects.create(name=f"{order} {ctx.attempt}")
        return Outcome.retry_after(3600, "not yet") if order == "a" and ctx.attempt < 3 else Outcome.ack()

    running = project.start(project.mount(handle)).run("a", "b")
    assert running.checkpoint() == 2
    become_due(running)
    become_due(running)
    assert calls == [("a", 1), ("b", 1), ("a", 2), ("a", 3)]
    assert set(Group.objects.values_list("name", flat=True)) == {"b 1", "a 3"}
    assert delayed(running) == []


def test_a_failing_batch_is_taken_apart_so_that_only_the_poison_is_given_up(project: Project):
    calls = []

    def handle(orders: list[str]) -> None:
        calls.append(orders)
        if "b" in orders:
            raise ValueError("poison")

    running = project.start(project.mount(handle, ladder=Ladder(2, backoff=AT_ONCE))).run(*"abc")
    running.run()
    running.run()
    failed = next(orders for orders in calls if "b" in orders)
    assert all([order] in calls[calls.index(failed) + 1 :] for order in failed)
    assert [bytes(letter.value) for letter in DeadLetter.objects.all()] == [b"b"]
    assert delayed(running) == []


def test_a_copy_that_its_handler_holds_waits_for_an_operator(project: Project):
    def handle(order: str, ctx: Context) -> Outcome:
        return Outcome.retry_after(0) if ctx.attempt == 1 else Outcome.hold("look at it")

    running = project.start(project.mount(handle)).run("a")
    running.run()
    running.run()
    (row,) = delayed(running)
    assert (row.due_at, row.held_reason, row.claim) == (None, "look at it", None)
    assert running.checkpoint() == 1


def test_a_copy_in_hand_is_nobody_elses_and_comes_again_when_its_claim_has_run_out(project: Project):
    flaky = Flaky(1)
    running = project.start(project.mount(flaky.handle, ladder=Ladder(3, backoff=HOUR))).run("b")
    DelayedRecord.objects.update(due_at=datetime.now(UTC) - timedelta(seconds=1))
    store = running.service._worker.consumers[0].delays._store.delayed
    assert len(store.claim(running.mount.name, 60.0, 10)) == 1
    running.run()
    running.run()
    assert flaky.calls == [("b", 1)]
    DelayedRecord.objects.update(claimed_until=datetime.now(UTC) - timedelta(seconds=1))
    running.run()
    running.run()
    assert flaky.calls == [("b", 1), ("b", 2)]


def test_what_a_worker_had_not_handled_when_it_stopped_is_anybodys_at_once(project: Project):
    flaky = Flaky(1)
    running = project.start(project.mount(flaky.handle, ladder=Ladder(3, backoff=HOUR))).run("b")
    DelayedRecord.objects.update(due_at=datetime.now(UTC) - timedelta(seconds=1))
    running.service._worker.consumers[0].delays.look_once()
    assert delayed(running)[0].claim is not None
    running.service.stop()
    assert delayed(running)[0].claim is None
    running.service.start()
    running.run()
    assert flaky.calls == [("b", 1), ("b", 2)]


def test_in_place_attempts_come_before_each_copy(project: Project):
    flaky = Flaky(9)
    mount = project.mount(flaky.handle, retry=Retry(2, 0.1, 0.1), ladder=Ladder(4, backoff=AT_ONCE))
    project.start(mount).run("b", advance=True)
    assert [attempt for _, attempt in flaky.calls] == [1, 2, 3, 4]
    assert DeadLetter.objects.get().attempts == 4


def test_each_copy_waits_twice_as_long_as_the_one_before(project: Project):
    flaky = Flaky(9)
    policy, ladder = Retry(2, 0.1, 0.1), Ladder(9, backoff=Backoff(100.0, 350.0))
    running = project.start(project.mount(flaky.handle, retry=policy, ladder=ladder)).run("b")
    waits = []
    for _ in range(8):
        running.service.advance()
        running.run()
        waits += [round((row.due_at - datetime.now(UTC)).total_seconds(), -1) for row in delayed(running)]
    assert [attempt for _, attempt in flaky.calls] == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert [wait for wait in waits if wait > 0] == [100, 200, 350, 350]


def test_a_copy_whose_claim_was_lost_is_not_handled_again_and_again(project: Project):
    """Its commit is refused each time, whoever has the claim now."""
    calls = []

    def handle(order: str, ctx: Context) -> None:
        calls.append(ctx.attempt)
        if ctx.attempt == 1:
            raise ValueError("busy")

    mount = project.mount(handle, ladder=Ladder(3, backoff=HOUR), transaction="checkpoint")
    running = project.start(mount).run("a")
    DelayedRecord.objects.update(due_at=datetime.now(UTC) - timedelta(seconds=1))
    running.service._worker.consumers[0].delays.look_once()
    DelayedRecord.objects.update(claim=uuid4())  # it took too long, another worker has claimed it
    for _ in range(3):
        clock = running.service._stage.clock
        clock.move_to(clock() + 5.0)
        running.run()
    assert calls == [1, 2]
    assert len(delayed(running)) == 1
