"""The watermark: a checkpoint never passes an unsettled record."""

from mutation.guard import Guard

WATERMARK = "unit/test_watermark.py"
NOTES = "unit/test_held_notes.py"
GATES = "contract/moving/test_gates.py"

GUARDS = (
    Guard(
        name="oldest-unsettled",
        promise="A checkpoint stops in front of the oldest unsettled record.",
        file="engine/watermark.py",
        text="return self.next if oldest is None else oldest[0].position(oldest[1])",
        without="return self.next",
        test=f"{WATERMARK}::test_an_unfinished_head_stops_the_checkpoint",
    ),
    Guard(
        name="held-stops",
        promise="A held record stops the checkpoint, while later ones settle.",
        file="engine/span.py",
        text="return min(self.held[0], self.cursor) if self.held else self.cursor",
        without="return self.cursor",
        test=f"{WATERMARK}::test_a_held_record_stops_the_checkpoint_while_later_ones_settle",
    ),
    Guard(
        name="hold-in-a-save",
        promise="A hold in the moment of a save is shown by this one or the next.",
        file="engine/held_notes.py",
        text="        with self.lock:\n            self._held.append",
        without="        if True:\n            self._held.append",
        test=f"{NOTES}::test_a_hold_in_the_moment_of_a_save_is_shown_by_this_one_or_the_next",
    ),
    Guard(
        name="hold-in-a-move",
        promise="A hold that a rewind has voided is shown to nobody and stops nothing.",
        file="engine/shard.py",
        text="        with self.notes.lock:\n            if not part.current",
        without="        if True:\n            if not part.current",
        test=f"{NOTES}::test_a_hold_in_the_moment_of_a_rewind_is_shown_to_nobody_and_stops_nothing",
    ),
    Guard(
        name="hold-in-a-skip",
        promise="A record that is skipped in the moment of its hold isn't shown as held.",
        file="engine/shard.py",
        text="        self.notes.forget(self.retired)\n",
        without="",
        test=f"{NOTES}::test_a_hold_in_the_moment_of_its_skip_is_shown_to_nobody",
    ),
    Guard(
        name="place-keeps-settled-apart",
        promise="What is stored as settled behind a checkpoint has no unsettled record in it.",
        file="engine/watermark.py",
        text="            touching = settled\n",
        without="            touching = True\n",
        test=f"{WATERMARK}::test_settled_records_behind_the_watermark_are_told_as_ranges",
    ),
    Guard(
        name="walk-is-alone",
        promise="No lane passes records that another lane has, or that came to an outcome before their turn.",
        file="engine/span.py",
        text="return not self._early and _follows(indexes, self.cursor) and indexes[-1] == self.size - 1",
        without="return _follows(indexes, self.cursor)",
        test=f"{WATERMARK}::test_only_who_has_all_that_is_left_may_settle_in_order_without_asking",
    ),
    Guard(
        name="generation-of-an-ack",
        promise="An ack of a record delivered before a move, or before the worker's death, settles nothing.",
        file="engine/records.py",
        text="elif state.generation == generation:",
        without="else:",
        test=f"{GATES}::test_what_such_a_call_returned_is_worthless_once_the_keeper_has_looked",
    ),
    Guard(
        name="generation-of-an-outcome",
        promise="Nor does any other outcome.",
        file="engine/handling.py",
        text="        if not part.current:\n            return\n        if outcome.settles:",
        without="        if outcome.settles:",
        test=f"{GATES}::test_what_such_a_call_returned_is_worthless_once_the_keeper_has_looked",
    ),
    Guard(
        name="generation-of-a-batch",
        promise="Nor does an ack of a batch.",
        file="engine/batches.py",
        text="        if part.current:\n            part.span.settle_all",
        without="        if True:\n            part.span.settle_all",
        test=f"{GATES}::test_what_such_a_call_returned_is_worthless_once_the_keeper_has_looked",
    ),
    Guard(
        name="generation-of-a-save",
        promise="A save from before a move doesn't count for what comes after it.",
        file="engine/holdings.py",
        text="                if snapshot.generation == snapshot.state.generation:\n",
        without="                if True:\n",
        test="contract/moving/test_seek_and_workers.py::test_a_save_that_was_on_its_way_does_not_keep_the_checkpoint_in_front",
    ),
    Guard(
        name="nothing-saved-while-moving",
        promise="While reading has still to move, nothing is saved.",
        file="engine/shard.py",
        text="        if self.target is not None:\n            return None\n        place = self.place()",
        without="        place = self.place()",
        test="unit/test_holdings.py::test_outcomes_and_saves_from_before_a_rewind_are_void",
    ),
    Guard(
        name="max-ahead",
        promise="No shard is read further than MAX_AHEAD past its oldest unsettled record.",
        file="engine/consumer.py",
        text="full = ahead > max(0, self.mount.max_ahead - self._limit) or state.is_scattered()",
        without="full = state.is_scattered()",
        test="contract/engine/test_held_records.py::"
        "test_a_shard_too_far_ahead_of_it_pauses_and_says_so_while_others_go_on",
    ),
    Guard(
        name="scattered",
        promise="Nor so far that what is settled behind it grows without bound.",
        file="engine/shard.py",
        text="return len(self._settled(NOTHING)[1]) > MOST_RANGES",
        without="return False",
        test="contract/moving/test_settled_behind.py::"
        "test_a_shard_with_too_much_to_remember_is_paused_until_some_of_it_is_settled",
    ),
    Guard(
        name="scattered-after-a-restart",
        promise="A restart reads through what is stored, however much it is: held records come again.",
        file="engine/shard.py",
        text="if not self._keeping.settled or self._known:",
        without="if not self._keeping.settled:",
        test="contract/moving/test_settled_behind.py::"
        "test_a_shard_with_too_much_to_remember_is_paused_until_some_of_it_is_settled",
    ),
    Guard(
        name="save-before-release",
        promise="A shard that is handed over is saved first.",
        file="engine/assigning.py",
        text="        self._saver.save_once()\n        released",
        without="        released",
        test="contract/engine/test_workers.py::test_a_planned_move_hands_over_what_was_settled",
    ),
    Guard(
        name="drain-before-release",
        promise="And the calls that run for it end first.",
        file="engine/assigning.py",
        text="        self._lanes.drain(shards, DRAIN_SECONDS)\n",
        without="",
        test="contract/moving/test_gates.py::"
        "test_a_shard_that_is_taken_from_busy_lanes_is_let_go_when_their_calls_have_ended",
    ),
)
