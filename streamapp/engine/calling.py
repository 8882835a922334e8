"""How a handler is called: plain or as a coroutine, in a transaction or not.

A transaction holds the handler's writes and nothing else. It is rolled back when the handler raises
or returns `retry`, because then the record is handled again as a whole.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from django.db import connections, transaction

from streamapp.engine.event_loop import EventLoop
from streamapp.exceptions import StreamappError
from streamapp.mount import Mount
from streamapp.observability.logs import text_of
from streamapp.outcomes import ACK, Kind, Outcome

Call = Callable[..., Any]


class TransactionBroken(StreamappError):
    """A handler went on after a database error, so its transaction can only be rolled back."""


class WrongOutcome(StreamappError, TypeError):
    """A handler returned something that is no outcome."""


def caller(mount: Mount, using: str, loop: EventLoop) -> Call:
    """Return a function that calls the mount's handler; blocks until the outcome is there."""
    call = synchronous(mount, loop)
    return _in_transaction(mount, call, using) if mount.transaction == "handler" else call


def synchronous(mount: Mount, loop: EventLoop) -> Call:
    """Return a function that calls the handler and nothing else; blocks until the outcome is there."""
    if not mount.shape.is_async:
        return mount.handler
    if mount.shape.is_batch:
        # From the lane's own thread, so that the coroutine's queries run on the lane's connection
        # and belong to its transaction.
        return lambda *arguments: loop.run_apart(mount.handler(*arguments))
    return lambda *arguments: loop.run(mount.handler(*arguments))


def _in_transaction(mount: Mount, call: Call, using: str) -> Call:
    def call_in_transaction(*arguments: Any) -> Outcome | list[Outcome]:
        with transaction.atomic(using=using):
            outcome = verified(mount, call(*arguments), arguments[0])
            if isinstance(outcome, Outcome) and outcome.kind in (Kind.RETRY, Kind.RETRY_AFTER):
                transaction.set_rollback(True, using=using)
            else:
                refuse_broken(using)
        return outcome

    return call_in_transaction


def verified(mount: Mount, outcome: Any, value: Any) -> Outcome | list[Outcome]:
    """Return what the handler said of a value or a list of values, or raise WrongOutcome."""
    return checked_list(outcome, len(value)) if mount.shape.is_batch else checked(outcome)


def refuse_broken(using: str) -> None:
    """Raise TransactionBroken if a commit would silently be a rollback."""
    if _is_broken(using):
        raise TransactionBroken(
            "The handler caught a database error and went on. Its transaction can only be rolled "
            "back; put what may fail into a transaction.atomic() block of its own."
        )


def _is_broken(using: str) -> bool:
    connection = connections[using]
    if connection.needs_rollback:
        return True
    if connection.vendor != "postgresql" or connection.connection is None:
        return False
    return bool(connection.connection.info.transaction_status.name == "INERROR")


def checked(outcome: Any) -> Outcome:
    """Return the outcome of one record, or raise WrongOutcome."""
    if outcome is None:
        return ACK
    if isinstance(outcome, Outcome):
        return _worded(outcome)
    raise WrongOutcome(f"The handler returned {outcome!r}. Return an Outcome, or None for ack.")


def _worded(outcome: Outcome) -> Outcome:
    """Return an outcome with its reason as text: handlers pass the exception itself."""
    reason: object = outcome.reason
    if isinstance(reason, str):
        return outcome
    return replace(outcome, reason="" if reason is None else text_of(reason))


def checked_list(outcomes: Any, records: int) -> Outcome | list[Outcome]:
    """Return the outcome of a batch: one for all, or a list that is no longer than the batch."""
    if not isinstance(outcomes, list):
        return checked(outcomes)
    if len(outcomes) > records:
        raise WrongOutcome(f"The handler returned {len(outcomes)} outcomes for {records} records.")
    return [checked(outcome) for outcome in outcomes]
