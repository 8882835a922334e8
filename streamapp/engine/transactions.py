"""TRANSACTION = "checkpoint": a handler's writes and its records' checkpoints are one transaction.

What is committed happened once: a record whose checkpoint was written is never delivered again, and
one whose checkpoint was refused has left no writes behind.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from django.db import connections, transaction

from streamapp.engine.calling import refuse_broken
from streamapp.engine.committing import Committer
from streamapp.engine.moving import Moves
from streamapp.engine.shard import Slice
from streamapp.exceptions import StreamappError

OutcomeT = TypeVar("OutcomeT")
WRITING = re.compile(
    r"""^(?: [\s(] | --[^\n]* | /\*.*?\*/ )* (
        (INSERT | UPDATE | DELETE | MERGE | REPLACE | COPY | CALL | DO | CREATE | ALTER | DROP | TRUNCATE)\b
        | WITH\b .* \b(INSERT\s+INTO | UPDATE | DELETE\s+FROM | MERGE\s+INTO)\b
    )""",
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)


class WroteElsewhere(StreamappError):
    """A handler under TRANSACTION = "checkpoint" wrote to a database that its transaction doesn't cover."""


class CheckpointTransaction:
    """Runs calls of a handler, each in a transaction that ends with its checkpoints."""

    def __init__(self, using: str, committer: Committer, moves: Moves) -> None:
        self._using = using
        self._committer = committer
        self._moves = moves

    def run(
        self,
        parts: Sequence[Slice],
        call: Callable[[], OutcomeT],
        settled_of: Callable[[OutcomeT], Sequence[Slice]],
    ) -> OutcomeT:
        """Return the outcome of a call; what `settled_of` names of the records is then settled.

        Rolls everything back when that is nothing. Raises Superseded, with nothing committed, when a
        checkpoint isn't as this worker believes, and whatever the handler raises.
        """
        with ExitStack() as writing:
            with transaction.atomic(using=self._using), refused_elsewhere(self._using):
                with self._moves.within(lambda: self._hold_fast(parts, writing)):
                    outcome = call()
                settled = settled_of(outcome)
                if not settled:
                    transaction.set_rollback(True, using=self._using)
                    return outcome
                refuse_broken(self._using)
                if self._moves.rewound:  # which has written the rows of the shards that it moves
                    settled = self._committer.unmoved(settled)
                else:
                    writing.enter_context(self._committer.writing(part.state for part in settled))
                places = self._committer.places(settled)
                self._committer.write(places)
            self._committer.confirm(settled, places)
        return outcome

    def _hold_fast(self, parts: Sequence[Slice], writing: ExitStack) -> None:
        writing.enter_context(self._committer.writing(part.state for part in parts))
        self._committer.hold_fast(parts)


@contextmanager
def refused_elsewhere(using: str, hint: str = "") -> Iterator[None]:
    """Refuse writes of this thread to any other database: they couldn't be rolled back with the rest.

    `hint` says what to do instead.
    """
    instead = hint or (
        f"Write to {using!r}, or set TRANSACTION to 'handler' and make the write safe to repeat."
    )

    def refuse(execute: Any, sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        if WRITING.match(sql):
            raise WroteElsewhere(
                f"The handler wrote to the database {context['connection'].alias!r}, and its transaction "
                f"is on {using!r}: that write would stay when the rest is rolled back. {instead}"
            )
        return execute(sql, params, many, context)

    with ExitStack() as wrappers:
        for alias in connections:
            if alias != using:
                wrappers.enter_context(connections[alias].execute_wrapper(refuse))
        yield
