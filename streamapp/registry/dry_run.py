"""DRY_RUN: whether a handler may be tried in a transaction that is rolled back."""

from collections.abc import Iterator

from streamapp.mount import Shape
from streamapp.problems import Code
from streamapp.registry.entry import Entry


def read_dry_run(entry: Entry, shape: Shape | None) -> bool:
    """Tell whether dry runs are allowed; what they couldn't undo is reported."""
    given = entry.get("DRY_RUN")
    if given is None or given is False:
        return False
    if given is not True:
        entry.report(Code.BAD_DRY_RUN, f"DRY_RUN is {given!r}.", "Set it to True, or remove it.")
        return False
    for what, hint in _contradictions(entry, shape):
        entry.report(Code.NO_DRY_RUN, f"DRY_RUN is True, and {what}", hint)
    return True


def _contradictions(entry: Entry, shape: Shape | None) -> Iterator[tuple[str, str]]:
    on_the_loop = shape is not None and shape.is_async and not shape.is_batch
    if on_the_loop:
        what = "an async def handler of single records can't be rolled back."
        yield what, "Remove DRY_RUN, or make the handler a def."
    elif entry.get("TRANSACTION") == "none":
        what = "TRANSACTION is 'none': the handler isn't made to be rolled back."
        yield what, "Remove DRY_RUN, or set TRANSACTION to 'handler'."
    if entry.get("EXECUTE") == "celery":
        what = "EXECUTE is 'celery': the handler runs in Celery's workers, not in ours."
        yield what, "Remove DRY_RUN, or remove EXECUTE."
    if entry.get("STATE") is not None:
        what = "STATE lives in memory, where nothing is rolled back."
        yield what, "Remove DRY_RUN, or keep the state in the database."
