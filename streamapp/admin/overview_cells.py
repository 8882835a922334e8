"""What the overview shows of one subscription, and where that leads."""

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from streamapp.admin.cells import EMPTY, age, lag, link, state
from streamapp.admin.sparkline import sparkline
from streamapp.services.overview import Glance
from streamapp.services.pauses import told
from streamapp.services.states import State
from streamapp.services.totals import COUNTED_AT_MOST
from streamapp.services.trends import Minute, rate

MARKS = {
    State.STUCK: "bad",
    State.NO_WORKER: "bad",
    State.HELD: "bad",
    State.CATCHING_UP: "warn",
    State.PAUSED: "idle",
    State.RUNNING: "good",
}


def cells(glance: Glance, minutes: Sequence[Minute], site: str) -> dict[str, Any]:
    """Return the cells by name; `minutes` are those of the last hour, `site` is where links lead."""
    if glance.row is None:
        notes = [_("has not run yet: start manage.py runconsumers")]
        return {"name": glance.name, "state": state_mark(glance.state), "notes": notes}
    linked, now = Cells(glance, site), glance.row.now
    return {
        "name": linked.name(),
        "state": state_mark(glance.state),
        "notes": linked.notes(),
        "workers": f"{glance.facts.workers:,}",
        "shards": linked.shards(f"{glance.totals.shards:,}"),
        "lag": EMPTY if glance.totals.lag.age_seconds is None else lag(glance.totals.lag),
        "spark": sparkline(minutes, now),
        "rate": per_second(rate(minutes, now)),
        "held": linked.held(),
        "quarantined": linked.quarantined(),
        "dead_letters": linked.dead_letters(),
        "oldest": age(glance.totals.oldest_at, now),
    }


class Cells:
    """The cells of one subscription that lead somewhere."""

    def __init__(self, glance: Glance, site: str) -> None:
        """Take the name of the site within which links lead."""
        self._glance = glance
        self._site = site

    def name(self) -> str:
        """Lead to the page of the subscription."""
        return link(self._url("subscription_change", self._glance.row.pk), self._glance.name)

    def notes(self) -> list[str]:
        """Tell what the one word leaves out."""
        facts, noted = self._glance.facts, self._paused()
        if facts.expiring:
            noted.append(self.shards(_expiring(facts.expiring), attention="alert"))
        if facts.stuck:
            noted.append(self.shards(_stuck(facts.stuck), attention="alert"))
        if facts.workers and facts.unread:
            noted.append(self.shards(_unread(facts.unread), attention="unread"))
        return noted if self._glance.mounted else [*noted, _("not mounted in the settings")]

    def _paused(self) -> list[str]:
        standstill = self._glance.standstill
        whole = [] if standstill.whole is None else [told(standstill.whole)]
        if not standstill.shards:
            return whole
        return [*whole, self.shards(_paused_shards(standstill.shards), attention="paused")]

    def shards(self, text: str, **narrowed: str) -> str:
        """Lead to its shards."""
        return link(self._url("checkpoint_changelist"), text, subscription=self._glance.name, **narrowed)

    def held(self) -> str:
        """Count held records and lead to their shards."""
        held = self._glance.facts.held
        return self.shards(f"{held:,}", attention="held") if held else "0"

    def quarantined(self) -> str:
        """Count the records in quarantine and lead to them."""
        return self._set_aside("quarantined", self._glance.quarantined)

    def dead_letters(self) -> str:
        """Count the dead letters and lead to them."""
        return self._set_aside("deadletter", self._glance.dead_letters)

    def _set_aside(self, model: str, count: int) -> str:
        text = f"{count:,}+" if count >= COUNTED_AT_MOST else f"{count:,}"
        return link(self._url(f"{model}_changelist"), text, subscription=self._glance.name) if count else "0"

    def _url(self, page: str, *arguments: object) -> str:
        return reverse(f"admin:streamapp_{page}", args=arguments, current_app=self._site)


def state_mark(word: State) -> str:
    """Show a state with its mark."""
    return state(MARKS[word], word)


def per_second(value: float | None) -> str:
    """Write a rate with its unit; small ones with one decimal."""
    if value is None:
        return EMPTY
    return f"{value:,.0f}/s" if value >= 9.95 or value == 0 else f"{value:.1f}/s"


def _expiring(count: int) -> str:
    return (
        ngettext("retention is about to pass %d shard", "retention is about to pass %d shards", count) % count
    )


def _stuck(count: int) -> str:
    return ngettext("%d shard doesn't move", "%d shards don't move", count) % count


def _unread(count: int) -> str:
    return ngettext("%d shard without a worker", "%d shards without a worker", count) % count


def _paused_shards(count: int) -> str:
    return ngettext("%d shard is paused by itself", "%d shards are paused by themselves", count) % count
