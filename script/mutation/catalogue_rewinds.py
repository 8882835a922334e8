"""Rewinds over splits and merges, and how workers hear of them."""

from mutation.guard import Guard

LINEAGE = "contract/resharding/test_rewinds.py"

GUARDS = (
    Guard(
        name="descendants-are-gated",
        promise="A rewind that reopens a shard gates all that came of it.",
        file="services/planning.py",
        text="        waiting = gated(asked.positions, lineage) & rows.keys()\n",
        without="        waiting = set()\n",
        test=f"{LINEAGE}::test_a_rewind_of_one_parent_leaves_the_other_finished",
        needs="kinesis",
    ),
    Guard(
        name="born-since-the-review",
        promise="A rewind is refused when one of its shards was split since the review.",
        file="store/rewinds.py",
        text="            self._refuse_born(subscription, moves, rows)\n",
        without="",
        test=f"{LINEAGE}::test_a_split_between_review_and_apply_makes_the_plan_stale",
        needs="kinesis",
    ),
    Guard(
        name="children-taken-meanwhile",
        promise="A child that was taken while its parent was being reopened isn't read.",
        file="engine/assigning.py",
        text="        self._holdings.uncheck(self._sharing.children(share.taken))\n",
        without="",
        test=f"{LINEAGE}::test_a_child_that_was_taken_just_before_its_parent_was_reopened_is_not_read",
        needs="kinesis",
    ),
    Guard(
        name="look-after-listening",
        promise="A rewind that was stored while nobody listened is looked for.",
        file="engine/listening.py",
        text="                self._wake({consumer.subscription for consumer in self._consumers})\n",
        without="",
        test="contract/store/test_notices.py::"
        "test_a_lost_connection_is_opened_again_and_what_was_missed_is_looked_for",
        needs="postgres",
    ),
    Guard(
        name="as-of-rewind",
        promise="The checkpoints of a moment follow a rewind since the last note.",
        file="services/history.py",
        text="moved if moved_at and not (noted_at and noted_at > moved_at) else noted",
        without="noted",
        test="admin/test_rewind_wizard.py::"
        "test_a_checkpoint_that_was_rewound_since_its_last_note_comes_back_to_where_the_rewind_put_it",
    ),
    Guard(
        name="review-hour",
        promise="A review is good for an hour, however often its pages are turned.",
        file="admin/rewinding.py",
        text='"signed": signed or plan.sign()',
        without='"signed": plan.sign()',
        test="admin/test_rewind_wizard.py::"
        "test_turning_pages_and_missing_reasons_do_not_make_the_hour_of_a_review_longer",
    ),
    Guard(
        name="rewind-stalls",
        promise="A rewind that stalls in the middle doesn't keep workers from saving.",
        file="store/rewinds.py",
        text="stalled=OPERATING_SECONDS",
        without="stalled=3600",
        test="contract/store/test_fencing.py::"
        "test_a_rewind_that_stalls_in_the_middle_does_not_keep_workers_from_saving",
        needs="postgres",
    ),
    Guard(
        name="foreign-notice",
        promise="A notice of somebody else ends no worker.",
        file="store/notices.py",
        text="for text in texts if text.isascii() and text.isdecimal() and len(text) <= LONGEST",
        without="for text in texts",
        test="contract/store/test_notices.py::"
        "test_what_others_send_on_the_channel_wakes_nobody_and_listening_goes_on",
        needs="postgres",
    ),
)
