"""The columns and fields of a shard."""

from typing import Any

from django.contrib import admin
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy as _

from streamapp.admin.cells import EMPTY, age, lag, position, short_position, state, time_with_age
from streamapp.admin.record_links import told_with_record, with_record
from streamapp.admin.shards import reading_cell
from streamapp.models import Checkpoint, HeldRecord, SkippedRecord
from streamapp.services.lag import sampled_lag
from streamapp.services.lineage import Stage, stage
from streamapp.services.pauses import pause_of, told
from streamapp.services.places import described
from streamapp.services.wording import moment

LONGEST_ON_A_LINE = 40


class ShardCells:
    """What the list and the page of shards show of each row; `waits` and `held_count` come with it."""

    admin_site: admin.AdminSite

    @admin.display(description=_("shard"), ordering="stream")
    def shard_name(self, row: Checkpoint) -> str:
        """Write stream and shard, on one line unless they are longer than one."""
        whole = str(row)
        kind = "nowrap" if len(whole) <= LONGEST_ON_A_LINE else "name"
        return format_html('<span class="streamapp-{}">{}</span>', kind, whole)

    @admin.display(description=_("shard"), ordering="stream")
    def listed_shard(self, row: Checkpoint) -> str:
        """Write subscription and shard below each other: a list has no room for both on a line."""
        return format_html("<small>{}</small><br>{}", row.subscription, self.shard_name(row))

    @admin.display(description=_("position, moved"), ordering="saved_at")
    def stands_at(self, row: Any) -> str:
        """Show the next record to read, and when that was last written, in the list."""
        place = self._place(row, row.position, short_position(row.subscription.broker, row.position))
        return format_html("{}<br><small>{}</small>", place, age(row.saved_at, row.now))

    @admin.display(description=_("position"))
    def whole_position(self, row: Checkpoint) -> str:
        """Show the next record to read."""
        return self._place(row, row.position, position(row.subscription.broker, row.position))

    @admin.display(description=_("waits for"))
    def waits_for(self, row: Any) -> str:
        """Show the parents that must be finished first, and which record holds them up."""
        broker = row.subscription.broker
        lines = (
            (told_with_record(row, self.admin_site.name, broker, wait, whole=True),) for wait in row.waits
        )
        return format_html_join(mark_safe("<br>"), "{}", lines) or EMPTY

    @admin.display(description=_("read by"))
    def read_by(self, row: Any) -> str:
        """Show the owner of the lease, and whether it lives; or why the shard needs none."""
        return reading_cell(row, self.admin_site.name, row)

    @admin.display(description=_("lag"), ordering="lag__milliseconds")
    def behind(self, row: Any) -> str:
        """Show how far behind it is, by its worker's last sample; a finished shard isn't."""
        finished = stage(row, row.waits) is Stage.FINISHED
        return EMPTY if finished else lag(sampled_lag(row, row.now))

    @admin.display(description=_("read to"))
    def read_to(self, row: Any) -> str:
        """Show where reading stood at that sample; it goes on past a held record."""
        sample = getattr(row, "lag", None)
        if sample is None:
            return EMPTY
        return self._place(row, sample.read_to, position(row.subscription.broker, sample.read_to))

    @admin.display(description=_("parents"))
    def parent_shards(self, row: Checkpoint) -> str:
        """Show of which shards it was split or merged."""
        return ", ".join(row.parents) or EMPTY

    @admin.display(description=_("held"), ordering="held_count")
    def held(self, row: Any) -> str:
        """Count the records that hold the checkpoint."""
        return state("bad", f"{row.held_count:,}") if row.held_count else "0"

    @admin.display(description=_("first held records"))
    def held_records(self, row: Checkpoint) -> str:
        """Show what the checkpoint waits for."""
        first = row.held.order_by("position")[:20]
        broker = row.subscription.broker
        lines = (
            (
                self._place(row, held.position, described(broker, held.position)),
                self._held_page(held),
                held.reason or _("no reason given"),
            )
            for held in first
        )
        line = '<div class="streamapp-position">{}: <a href="{}">{}</a></div>'
        return format_html_join("", line, lines) or EMPTY

    def _place(self, row: Checkpoint, number: int, cell: str) -> str:
        return with_record(row, self.admin_site.name, row.pk, row.subscription.broker, number, cell)

    def _held_page(self, held: HeldRecord) -> str:
        name = "admin:streamapp_heldrecord_change"
        return reverse(name, args=[held.pk], current_app=self.admin_site.name)

    @admin.display(description=_("paused"))
    def paused(self, row: Checkpoint) -> str:
        """Show who paused it, by itself or with its subscription."""
        pause = pause_of(row)
        if pause is None:
            return EMPTY
        return _("with its subscription: ") * (pause.checkpoint_id is None) + told(pause)

    @admin.display(description=_("skipped by operators"))
    def skipped_records(self, row: Checkpoint) -> str:
        """Show the last records that were to be skipped, and what came of it."""
        broker = row.subscription.broker
        lines = (_skip(broker, skipped) for skipped in row.skipped_records.order_by("-pk")[:20])
        return "\n".join(lines) or EMPTY

    @admin.display(description=_("moved"), ordering="saved_at")
    def moved(self, row: Any) -> str:
        """Show when the position was last written; it isn't while nothing moves."""
        return time_with_age(row.saved_at, row.now)


def _skip(broker: str, skipped: SkippedRecord) -> str:
    applied = skipped.applied_at is not None and not skipped.result
    result = _("skipped, the checkpoint has not passed it yet") if applied else skipped.get_result_display()
    asked = f"{skipped.asked_by}, {moment(skipped.asked_at)}"
    return f"{described(broker, skipped.position)}: {result} ({asked}: {skipped.reason})"
