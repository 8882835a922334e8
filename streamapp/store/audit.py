"""The audit trail: one row an action, in the transaction that carries the action out."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from streamapp.models import AuditEntry
from streamapp.store.clock import ClockNow
from streamapp.store.records import storable

NAMED_AT_MOST = 20
LONGEST = {"subscription": 200, "subject": 400}


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, from where (admin, command, handler) and why. `user` is None without a login."""

    origin: str
    user: Any = None
    reason: str = ""

    @property
    def name(self) -> str:
        """Return what to call them: the user's name, else where the action comes from."""
        return self.user.get_username() if self.user is not None else self.origin


@dataclass(frozen=True, slots=True)
class Deed:
    """What was done to what. `old` and `new` say how it stood before and after, in words or positions."""

    action: str
    subscription: str = ""
    subject: str = ""
    old: str = ""
    new: str = ""
    result: str = ""


def add_entry(using: str, asker: Asker, deed: Deed) -> None:
    """Add the row of one action. Call it inside the action's transaction, so that both stand or neither."""
    row = AuditEntry(
        at=ClockNow(),
        user=asker.user,
        origin=asker.origin,
        action=deed.action,
        subscription=_cut("subscription", deed.subscription),
        subject=_cut("subject", deed.subject),
        old=storable(deed.old),
        new=storable(deed.new),
        reason=storable(asker.reason),
        result=storable(deed.result),
    )
    row.save(using=using, force_insert=True)


def enumerated(parts: Iterable[str], separator: str = ", ") -> str:
    """Write a list that may be long: the first ones, and how many more there are."""
    named = list(parts)
    more = [f"and {len(named) - NAMED_AT_MOST:,} more"] if len(named) > NAMED_AT_MOST else []
    return separator.join([*named[:NAMED_AT_MOST], *more])


def _cut(field: str, text: str) -> str:
    longest = LONGEST[field]
    whole = storable(text)
    return whole if len(whole) <= longest else f"{whole[: longest - 1]}…"
