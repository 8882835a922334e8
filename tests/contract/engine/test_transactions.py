"""What is rolled back when a handler fails, and what isn't."""

import pytest
from django.contrib.auth.models import Group
from django.db import DatabaseError, IntegrityError, connection

from streamapp import Context, Outcome
from streamapp.mount import Retry
from tests.contract.engine.project import Project

pytestmark = pytest.mark.django_db(transaction=True)
RETRY = Retry(attempts=2, first=0.1, most=0.1)


def rows() -> list[str]:
    return sorted(Group.objects.values_list("name", flat=True))


def write_and_fail(order: str, ctx: Context) -> None:
    Group.objects.create(name=f"{order} {ctx.attempt}")
    if order == "b":
        raise ValueError("after the write")


def test_the_writes_of_a_handler_that_raises_are_gone(project: Project):
    running = project.start(project.mount(write_and_fail, retry=RETRY)).run("a", "b", "c", advance=True)
    assert rows() == ["a 1", "c 1"]
    assert running.held == [(b"b", "hold")]


def test_the_writes_of_an_attempt_that_asks_for_another_are_gone(project: Project):
    def handle(order: str, ctx: Context) -> Outcome:
        Group.objects.create(name=f"{order} {ctx.attempt}")
        return Outcome.retry() if ctx.attempt == 1 else Outcome.ack()

    running = project.start(project.mount(handle, retry=RETRY)).run("a", advance=True)
    assert rows() == ["a 2"]
    assert running.checkpoint() == 1


@pytest.mark.parametrize("outcome", [Outcome.ack(), Outcome.drop(), Outcome.hold(), None])
def test_all_other_outcomes_keep_the_writes(project: Project, outcome):
    def handle(order: str) -> Outcome | None:
        Group.objects.create(name=order)
        return outcome

    project.start(project.mount(handle)).run("a")
    assert rows() == ["a"]


def test_without_a_transaction_the_writes_stay(project: Project):
    running = project.start(project.mount(write_and_fail, transaction="none")).run("a", "b")
    assert rows() == ["a 1", "b 1"]
    assert running.held == [(b"b", "hold")]


def swallow_integrity_error(order: str) -> Outcome:
    Group.objects.create(name=order)
    try:
        Group.objects.create(name=order)
    except IntegrityError:
        return Outcome.ack()
    raise AssertionError("the name is unique")


def swallow_error_of_raw_sql(order: str) -> Outcome:
    Group.objects.create(name=order)
    try:
        connection.cursor().execute("SELECT 1 / 0")
    except DatabaseError:
        return Outcome.ack()
    raise AssertionError("the division must fail")


@pytest.mark.parametrize("handler", [swallow_integrity_error, swallow_error_of_raw_sql])
def test_an_ack_after_a_swallowed_database_error_is_none(project: Project, handler):
    if handler is swallow_error_of_raw_sql and connection.vendor != "postgresql":
        pytest.skip("here an error of raw SQL doesn't end the transaction")
    running = project.start(project.mount(handler)).run("a")
    assert rows() == []
    assert running.settled == []
    assert "TransactionBroken" in running.service.held[0].outcome.reason
    assert running.checkpoint() == 0


def test_a_batch_that_fails_writes_nothing(project: Project):
    def handle(orders: list[str]) -> None:
        for order in orders:
            Group.objects.create(name=order)
        raise ValueError("after the writes")

    running = project.start(project.mount(handle)).run("a", "b")
    assert rows() == []
    assert running.checkpoint() == 0
