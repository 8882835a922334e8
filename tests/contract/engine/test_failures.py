"""What a failure leads to: by the class of the exception, and by ON_ERROR."""

from asyncio import CancelledError

import pytest

from streamapp import Context, Outcome
from streamapp.ladder import Ladder, Retry
from streamapp.models import DeadLetter
from streamapp.records import Record
from tests.contract.engine.project import Project


class Carrier:
    """Raises, one call after the other, what it is told to; then it acks."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors = list(errors)
        self.attempts: list[int] = []

    def handle(self, order: str, ctx: Context) -> None:
        self.attempts.append(ctx.attempt)
        if self.errors:
            raise self.errors.pop(0)

    def batch(self, orders: list[str], ctx: Context) -> None:
        self.handle("", ctx)


WAYS = pytest.mark.parametrize("way", ["handle", "batch"])


def policy(**classes: tuple[type[BaseException], ...]) -> Retry:
    return Retry(3, 0.1, 0.1, **classes)


@WAYS
def test_a_fatal_one_is_not_tried_again_in_place(project: Project, way):
    carrier = Carrier(ValueError("poison"))
    mount = project.mount(getattr(carrier, way), retry=policy(fatal=(ValueError,)), ladder=Ladder(3))
    running = project.start(mount).run("a")
    assert (carrier.attempts, running.service.waiting) == ([1], [])
    assert running.checkpoint() == 1
    assert running.held == []


@WAYS
@pytest.mark.parametrize("transaction", ["handler", "checkpoint"])
def test_an_ignored_one_retires_the_record(project: Project, way, transaction):
    carrier = Carrier(KeyError("old form"))
    options = {"retry": policy(ignored=(LookupError,)), "ladder": Ladder(3), "transaction": transaction}
    mount = project.mount(getattr(carrier, way), **options)
    running = project.start(mount).run("a", advance=True)
    assert carrier.attempts == [1]
    assert running.settled == [(b"a", "drop")]
    assert running.service.settled[0].outcome.reason == "ignored: KeyError('old form')"
    assert running.checkpoint() == 1


def test_where_classes_are_retryable_all_others_are_fatal(project: Project):
    carrier = Carrier(ConnectionError("busy"), ValueError("poison"))
    mount = project.mount(carrier.handle, retry=policy(retryable=(OSError,)))
    running = project.start(mount).run("a", advance=True)
    assert carrier.attempts == [1, 2]
    assert running.held == [(b"a", "hold")]


@WAYS
def test_a_different_exception_starts_the_count_again(project: Project, way):
    errors = [OSError("1"), OSError("2"), ValueError("1"), ValueError("2"), ValueError("3")]
    carrier = Carrier(*errors, ValueError("never"))
    mount = project.mount(getattr(carrier, way), retry=policy())
    running = project.start(mount).run("a", advance=True)
    assert carrier.attempts == [1, 2, 3, 4, 5]
    assert "ValueError('3')" in running.service.held[0].outcome.reason


def test_classes_that_take_turns_come_to_an_end(project: Project):
    carrier = Carrier(*[kind("again") for _ in range(20) for kind in (OSError, ValueError)])
    running = project.start(project.mount(carrier.handle, retry=policy())).run("a", advance=True)
    assert carrier.attempts == [1, 2, 3, 4, 5]
    assert len(running.held) == 1


@pytest.mark.parametrize(
    ("said", "settled", "held"),
    [
        (Outcome.ack(), [(b"a", "ack")], []),
        (Outcome.drop("known"), [(b"a", "drop")], []),
        (Outcome.hold("look"), [], [(b"a", "hold")]),
        (None, [], [(b"a", "hold")]),
    ],
)
@WAYS
def test_on_error_says_what_becomes_of_the_record(project: Project, way, said, settled, held):
    asked = []

    def judge(error: BaseException, record: Record, attempt: int) -> Outcome | None:
        asked.append((str(error), record.value, attempt))
        return said

    carrier = Carrier(ValueError("odd"))
    running = project.start(project.mount(getattr(carrier, way), on_error=judge)).run("a")
    assert asked == [("odd", b"a", 1)]
    assert (running.settled, running.held) == (settled, held)


@WAYS
@pytest.mark.parametrize("said", [Outcome.ack(), Outcome.drop("known")])
@pytest.mark.parametrize("transaction", ["none", "handler", "checkpoint"])
def test_on_error_may_retire_a_record_in_every_transaction(project: Project, way, said, transaction):
    carrier = Carrier(ValueError("odd"))
    mount = project.mount(getattr(carrier, way), on_error=lambda *_: said, transaction=transaction)
    assert project.start(mount).run("a", "b").checkpoint() == 2


@pytest.mark.parametrize("mistake", [RuntimeError("a mistake in the judge"), CancelledError()], ids=repr)
def test_what_on_error_itself_raises_loses_nothing(project: Project, caplog, mistake):
    def judge(*_: object) -> None:
        raise mistake

    carrier = Carrier(ValueError("odd"))
    mount = project.mount(carrier.handle, on_error=judge, ladder=Ladder(1))
    running = project.start(mount).run("a")
    assert DeadLetter.objects.get().message == "odd"
    assert running.checkpoint() == 1
    assert any("ON_ERROR failed" in record.message for record in caplog.records)
