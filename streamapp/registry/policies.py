"""How a subscription runs: batches, transactions, positions, retries."""

from typing import Literal

from streamapp.brokers.base import Broker
from streamapp.mount import Retry, Shape
from streamapp.positions import Position
from streamapp.problems import Code
from streamapp.registry.entry import Entry
from streamapp.registry.retry import parse_retry

Transaction = Literal["none", "handler", "checkpoint"]
MAX_AHEAD = 10_000


def read_batch(entry: Entry, shape: Shape | None) -> int | None:
    """Return the largest number of records in a batch; None for a handler of single records."""
    batch = entry.count("BATCH")
    if shape and shape.is_batch and entry.get("BATCH") is None:
        entry.report(
            Code.BATCH_MISSING, "the handler takes a list, and BATCH is missing.", "Set BATCH, e.g. 500."
        )
    if shape and not shape.is_batch and entry.get("BATCH") is not None:
        hint = "Remove BATCH, or annotate the handler's first parameter with list[...]."
        entry.report(Code.BATCH_NOT_WANTED, "BATCH is set, and the handler takes single records.", hint)
    return batch


def read_max_ahead(entry: Entry, batch: int | None) -> int:
    """Return how many records a shard may be read past its oldest unsettled one."""
    ahead = entry.count("MAX_AHEAD") or MAX_AHEAD
    if batch and ahead < 2 * batch:
        what = (
            f"MAX_AHEAD ({ahead}) is smaller than twice BATCH ({batch}), so that no batch would ever be full."
        )
        entry.report(Code.AHEAD_SMALLER_THAN_BATCH, what, "Raise MAX_AHEAD or lower BATCH.")
    return ahead


def read_transaction(entry: Entry, shape: Shape | None) -> Transaction:
    """Return what is rolled back when the handler fails."""
    on_the_loop = shape is not None and shape.is_async and not shape.is_batch
    choices: tuple[Transaction, ...] = ("none", "handler", "checkpoint")
    default: Transaction = "none" if on_the_loop else "handler"
    transaction = entry.choice("TRANSACTION", choices, default)
    if on_the_loop and transaction != "none":
        what = f"TRANSACTION is {transaction!r}; an async def handler of single records can't be rolled back."
        entry.report(Code.ASYNC_TRANSACTION, what, "Set TRANSACTION to 'none', or make the handler a def.")
    if transaction == "checkpoint" and entry.get("CHECKPOINTS") == "process":
        what = "TRANSACTION is 'checkpoint', and CHECKPOINTS = 'process' stores no checkpoint to commit."
        entry.report(Code.NOTHING_TO_COMMIT, what, "Remove CHECKPOINTS, or set TRANSACTION to 'handler'.")
    return transaction


def read_position(entry: Entry, key: str, broker: Broker | None) -> Position | None:
    """Return START_AT or REPLAY_FROM, if the broker has such positions."""
    position = entry.position(key)
    complaint = broker.position_problem(position) if broker and position else None
    if complaint:
        hint = f"Give {key} a position that the broker has."
        entry.report(Code.FOREIGN_POSITION, f"{key} {str(position)!r}: {complaint}", hint)
    return position


def read_retry(entry: Entry) -> Retry | None:
    """Return the retry policy; without one a retry is a hold."""
    if (given := entry.get("RETRY")) is None:
        return None
    try:
        return parse_retry(given)
    except ValueError as error:
        hint = 'Write it like {"attempts": 5, "backoff": "0.2s..30s", "fatal": ["builtins.ValueError"]}.'
        entry.report(Code.BAD_RETRY, f"RETRY: {error}", hint)
        return None


def report_without_effect(entry: Entry) -> None:
    """Warn of values that say something the consumer will never do."""
    replays = entry.get("REPLAY_FROM") is not None
    if entry.get("REPLAY_SCOPE") is not None and not replays:
        what = "REPLAY_SCOPE is set without REPLAY_FROM and has no effect."
        entry.report(Code.WITHOUT_EFFECT, what, "Set REPLAY_FROM, or remove REPLAY_SCOPE.")
    if entry.get("CHECKPOINTS") == "process" and replays and entry.get("START_AT") is not None:
        what = "with CHECKPOINTS = 'process' every start opens at REPLAY_FROM, and START_AT has no effect."
        entry.report(Code.WITHOUT_EFFECT, what, "Remove START_AT or REPLAY_FROM.")
    if entry.get("REDELIVER") == "all" and entry.get("TRANSACTION") == "checkpoint":
        what = "REDELIVER is 'all'; with TRANSACTION = 'checkpoint' only what is unsettled comes again."
        entry.report(Code.WITHOUT_EFFECT, what, "Remove REDELIVER.")
    if entry.get("ORDER") not in (None, "shard") and entry.get("LANES") in (None, 1):
        what = f"ORDER is {entry.get('ORDER')!r}, and one lane handles everything in the order of the shards."
        entry.report(Code.WITHOUT_EFFECT, what, "Set LANES to 2 or more, or remove ORDER.")
