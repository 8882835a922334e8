"""What a handler's failure is: judged by ON_ERROR and by the class of the exception."""

import logging
from asyncio import CancelledError
from dataclasses import dataclass
from traceback import format_exception

from streamapp.copies import made_before
from streamapp.engine.calling import checked
from streamapp.ladder import Treatment
from streamapp.mount import Mount
from streamapp.observability.logs import Fields, text_of
from streamapp.outcomes import Kind, Outcome
from streamapp.records import Record
from streamapp.store.failed import NO_FAILURE, Failure

logger = logging.getLogger("streamapp.failing")
TRACE_CHARACTERS = 4000
FAILURES = (Exception, CancelledError, BaseExceptionGroup)
"""What counts as a handler's failure. Cancelling is one, and so is a group, which may have nothing else in
it: they end a wait, never the process.
"""
UNCAUGHT = ""
"""Stands for the class of a failure that the handler has returned and not raised."""


@dataclass(frozen=True, slots=True)
class Failed(Outcome):
    """A retry because of an exception. One that is fatal isn't tried again in place."""

    failure: Failure = NO_FAILURE
    fatal: bool = False


def judged(mount: Mount, error: BaseException, record: Record, attempt: int) -> Outcome:
    """Return what an exception of the handler leads to for a record, at an attempt of this delivery."""
    said = _said(mount, error, record, made_before(record.headers) + attempt)
    if said is not None and said.kind is not Kind.RETRY:
        return said
    treatment = mount.retry.treatment(error) if mount.retry else Treatment.RETRYABLE
    reason = said.reason if said and said.reason else text_of(error, repr)
    if treatment is Treatment.IGNORED and said is None:
        return Outcome.drop(f"ignored: {reason}")
    return Failed(Kind.RETRY, reason, 0.0, failure_of(error, reason), treatment is Treatment.FATAL)


def failure_of(error: BaseException, reason: str) -> Failure:
    """Describe an exception for those who look at the record later; a long trace keeps its end."""
    kind = type(error)
    trace = "".join(format_exception(error))
    shortened = trace if len(trace) <= TRACE_CHARACTERS else f"…{trace[-TRACE_CHARACTERS:]}"
    return Failure(reason, f"{kind.__module__}.{kind.__qualname__}", text_of(error), shortened)


def class_of(outcome: Outcome) -> str:
    """Return what tells one kind of failure from another."""
    return outcome.failure.exception if isinstance(outcome, Failed) else UNCAUGHT


def _said(mount: Mount, error: BaseException, record: Record, attempt: int) -> Outcome | None:
    """Ask ON_ERROR; what it raises is no reason to lose the record."""
    if mount.on_error is None:
        return None
    try:
        said = mount.on_error(error, record, attempt)
        return None if said is None else checked(said)
    except FAILURES as mistake:  # the edge of the project's code; it is reported
        fields = Fields(subscription=mount.name, error=text_of(mistake, repr))
        logger.error("ON_ERROR failed, the record is tried again. %s", fields, exc_info=mistake)
        return None
