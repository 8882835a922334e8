"""What is mounted above the attempts in place: copies, dead letters and what waits behind a held record."""

import re
from collections.abc import Callable
from typing import Any, Literal

from streamapp.brokers.base import Source
from streamapp.ladder import DATABASE, SOURCE, Backoff, Ladder, Limit
from streamapp.mount import Retry
from streamapp.problems import Code
from streamapp.registry.entry import Entry, is_name
from streamapp.registry.retry import parse_backoff

LONGEST_STREAM = 255
ABOVE_COPIES = ("RETRY_TO", "RETRY_DELAY", "DEAD_LETTER", "DEAD_LETTER_LIMIT")
Hold = Literal["record", "key", "shard"]
_SHARE = re.compile(r"\s*(?P<percent>[0-9]{1,3})\s*%\s*of\s*(?P<records>[0-9]{1,6})\s*")


def read_ladder(entry: Entry, source: Source | None, retry: Retry | None) -> Ladder | None:
    """Return what follows when the attempts in place are used up; None without MAX_ATTEMPTS."""
    most = entry.count("MAX_ATTEMPTS")
    if most is None:
        _report_ladder_missing(entry)
        return None
    ladder = Ladder(
        most,
        copies=_read_copies(entry, source),
        backoff=_read_backoff(entry),
        letters=_read_letters(entry, source),
        limit=_read_limit(entry),
    )
    _report_unreachable(entry, ladder, retry)
    return ladder


def read_hold(entry: Entry) -> Hold:
    """Return what waits behind a held record."""
    choices: tuple[Hold, ...] = ("record", "key", "shard")
    hold = entry.choice("HOLD", choices, "record")
    lanes, order = entry.get("LANES") or 1, entry.get("ORDER") or "shard"
    kept = ("shard",) if hold == "shard" else ("shard", "key")
    if hold != "record" and lanes != 1 and order not in kept:
        what = f"HOLD is {hold!r}, and with ORDER {order!r} there is no such order that could be kept."
        hint = f"Set ORDER to {' or '.join(map(repr, kept))}, LANES to 1, or HOLD to 'record'."
        entry.report(Code.HOLD_WITHOUT_ORDER, what, hint)
    return hold


def read_on_error(entry: Entry) -> Callable[..., Any] | None:
    """Return what judges the exceptions of the handler."""
    return entry.function("ON_ERROR", Code.BAD_ON_ERROR)


def parse_limit(given: object) -> Limit:
    """Read `20` (in a row) or `"30% of 100"`. Raises ValueError with a sentence that says what is wrong."""
    if isinstance(given, int) and not isinstance(given, bool) and given > 0:
        return Limit(given, given)
    match = _SHARE.fullmatch(given) if isinstance(given, str) else None
    percent, records = (int(match["percent"]), int(match["records"])) if match else (0, 0)
    if not (0 < percent <= 100 and records > 0):
        raise ValueError(f"{given!r} is neither a whole number of 1 or more nor a share like '30% of 100'.")
    return Limit(max(1, -(-percent * records // 100)), records)


def _report_ladder_missing(entry: Entry) -> None:
    for key in ABOVE_COPIES:
        if entry.get(key) is not None and entry.get("MAX_ATTEMPTS") is None:
            what = f"{key} is set without MAX_ATTEMPTS and has no effect."
            entry.report(Code.WITHOUT_EFFECT, what, f"Set MAX_ATTEMPTS, or remove {key}.")


def _read_copies(entry: Entry, source: Source | None) -> str:
    given = _read_stream(entry, "RETRY_TO")
    names = source.streams() if source else ()
    if given in names:
        what = f"RETRY_TO names {given!r}, which is what the subscription itself reads."
        entry.report(Code.BAD_DESTINATION, what, "Write 'source' for that, or name another stream.")
    return _stream_of_source(entry, names) if given == SOURCE and names else given


def _stream_of_source(entry: Entry, names: Any) -> str:
    """Return the one stream to which copies go back."""
    if len(names) != 1 or names[0].startswith("^"):
        what = f"RETRY_TO is 'source', and the subscription reads {', '.join(names)}."
        entry.report(Code.SEVERAL_SOURCES, what, "Set RETRY_TO to 'database' or to one stream.")
        return DATABASE
    what = f"RETRY_TO is 'source': every other reader of {names[0]!r} gets the copies too."
    hint = "Set RETRY_TO to 'database', or silence this if all readers know the header streamapp-attempt."
    entry.report(Code.COPIES_FOR_ALL, what, hint)
    return str(names[0])


def _read_letters(entry: Entry, source: Source | None) -> str:
    given = _read_stream(entry, "DEAD_LETTER")
    names = source.streams() if source else ()
    if given == SOURCE or any(_means(name, given) for name in names):
        what = f"DEAD_LETTER is {given!r}, so the subscription would read its own dead letters again."
        entry.report(Code.BAD_DESTINATION, what, "Set it to 'database' or to another stream.")
    return given


def _means(name: str, stream: str) -> bool:
    return re.match(name, stream) is not None if name.startswith("^") else name == stream


def _read_stream(entry: Entry, key: str) -> str:
    """Return a destination as it was written; the database if nothing was."""
    given = DATABASE if entry.get(key) is None else entry.get(key)
    if is_name(given, LONGEST_STREAM) and not given.startswith("^"):
        return str(given)
    hint = "Write 'database' or the name of one stream."
    entry.report(Code.BAD_DESTINATION, f"{key} is {given!r}.", hint)
    return DATABASE


def _read_backoff(entry: Entry) -> Backoff:
    default = Ladder(1).backoff
    if (given := entry.get("RETRY_DELAY")) is None:
        return default
    if entry.get("RETRY_TO") not in (None, DATABASE):
        what = "RETRY_DELAY is set, and only copies in the database can wait."
        entry.report(Code.WITHOUT_EFFECT, what, "Remove RETRY_DELAY, or set RETRY_TO to 'database'.")
    try:
        return Backoff(*parse_backoff(given))
    except ValueError as error:
        entry.report(Code.BAD_DELAY, f"RETRY_DELAY: {error}", 'Write it like "10s..10m".')
        return default


def _read_limit(entry: Entry) -> Limit | None:
    if (given := entry.get("DEAD_LETTER_LIMIT")) is None:
        return None
    try:
        return parse_limit(given)
    except ValueError as error:
        hint = 'Write how many in a row, like 20, or a share of the last records, like "30% of 100".'
        entry.report(Code.BAD_LIMIT, f"DEAD_LETTER_LIMIT: {error}", hint)
        return None


def _report_unreachable(entry: Entry, ladder: Ladder, retry: Retry | None) -> None:
    if retry and retry.attempts > ladder.most_attempts:
        what = f"RETRY allows {retry.attempts} attempts in place, MAX_ATTEMPTS {ladder.most_attempts} in all."
        entry.report(Code.WITHOUT_EFFECT, what, "Raise MAX_ATTEMPTS, or lower RETRY's attempts.")
