"""What operators order: pauses, skips, redeliveries, releases, drains."""

from mutation.guard import Guard

PAUSES = "contract/moving/test_pauses.py"
SKIPPING = "contract/moving/test_skipping.py"
REDELIVERING = "contract/moving/test_redelivering.py"
RELEASING = "contract/moving/test_releasing.py"

GUARDS = (
    Guard(
        name="pause-in-a-poll",
        promise="A pause stops between two records of a poll, not behind it.",
        file="engine/records.py",
        text="if gate.interrupted or state.paused or clock()",
        without="if gate.interrupted or clock()",
        test=f"{PAUSES}::test_a_long_call_in_a_lane_is_the_last_one[local]",
    ),
    Guard(
        name="pause-backlog",
        promise="Records that were read before the pause wait, with one lane.",
        file="engine/work.py",
        text="if not (part.state.paused or part.state in waiting))",
        without="if part.state not in waiting)",
        test=f"{PAUSES}::test_what_was_read_already_waits_and_keeps_its_order[local-options0]",
    ),
    Guard(
        name="pause-strands",
        promise="So they do with several lanes.",
        file="engine/lanes/strands.py",
        text="        while queue and not _is_halted(queue[0]):\n",
        without="        while queue:\n",
        test=f"{PAUSES}::test_no_lane_takes_up_what_was_queued_before_the_pause[local-options1]",
    ),
    Guard(
        name="pause-batch-apart",
        promise="A batch that is tried again leaves the records of a paused shard out.",
        file="engine/work.py",
        text="                yield place, may, rest\n",
        without="                yield place, work, Work(())\n",
        test=f"{PAUSES}::test_a_batch_to_be_tried_again_goes_on_without_its_paused_shard",
    ),
    Guard(
        name="pause-reading",
        promise="A paused shard isn't read ahead.",
        file="engine/consumer.py",
        text="self.reading.pause_only(waiting | full | paused)",
        without="self.reading.pause_only(waiting | full)",
        test=f"{PAUSES}::test_nothing_is_read_ahead_of_a_paused_shard",
    ),
    Guard(
        name="orders-before-the-first-record",
        promise="A worker that takes a shard knows what was ordered before its first record.",
        file="engine/assigning.py",
        text="            self._controls.read()\n",
        without="",
        test=f"{SKIPPING}::test_without_a_live_worker_it_waits_until_one_takes_the_shard",
    ),
    Guard(
        name="skip-exactly-one",
        promise="A skip settles the held record that it names and no other.",
        file="engine/span.py",
        text="            if index not in self.held or self.chunk.position(index) != position:\n"
        "                return False\n            self.held.remove(index)\n",
        without="            self.held.clear()\n",
        test=f"{SKIPPING}::test_exactly_one_of_several_held_records_is_retired[local-options0]",
    ),
    Guard(
        name="skip-not-decoded-again",
        promise="An undecodable record that is skipped isn't held again when its batch comes again.",
        file="engine/batches.py",
        text="left = replace(work, slices=tuple(batch.parts))",
        without="left = work",
        test=f"{SKIPPING}::"
        "test_an_undecodable_one_stays_skipped_when_its_batch_comes_again_after_an_outage[local-options0]",
    ),
    Guard(
        name="skip-not-delivered",
        promise="A skipped record isn't delivered again as long as the checkpoint hasn't passed it.",
        file="engine/shard.py",
        text="        if position in self.skips:\n",
        without="        if False:\n",
        test=f"{SKIPPING}::test_one_behind_another_stays_retired_over_a_crash[local-options0]",
    ),
    Guard(
        name="skip-held-only",
        promise="Only a record that is held now is skipped.",
        file="services/actions/skip.py",
        text="        if held is None:\n            raise _not_held(self.record)\n",
        without="        if held is None:\n            held = HeldRecord()\n",
        test=f"{SKIPPING}::test_a_record_that_is_not_held_any_more_is_refused",
    ),
    Guard(
        name="skip-void-by-rewind",
        promise="A rewind to before a skipped record brings it again.",
        file="store/rewinds.py",
        text="        void_skips(self._using, moved)\n",
        without="",
        test=f"{SKIPPING}::test_a_rewind_brings_it_again",
    ),
    Guard(
        name="redeliver-epoch",
        promise="A redelivery raises the epoch: what was delivered before settles nothing.",
        file="store/operating.py",
        text='        Positions, and what is stored as settled behind them, stay.\n        """\n'
        '        self._checkpoints.filter(pk__in=checkpoints).update(epoch=F("epoch") + 1)\n',
        without='        """\n',
        test=f"{REDELIVERING}::test_what_is_handled_before_the_worker_has_looked_settles_nothing",
    ),
    Guard(
        name="release-epoch",
        promise="A release fences the old owner.",
        file="store/operating.py",
        text='        """Take leases from their owners, who are fenced; whoever looks first takes them."""\n'
        '        self._checkpoints.filter(pk__in=checkpoints).update(epoch=F("epoch") + 1)\n',
        without="",
        test=f"{RELEASING}::test_a_late_save_of_the_old_owner_is_refused[local]",
    ),
    Guard(
        name="drain-quota",
        promise="A drained worker counts for no share.",
        file="store/workers.py",
        text="filter(state=WorkerState.ALIVE, drained_at=None)",
        without="filter(state=WorkerState.ALIVE)",
        test=f"{RELEASING}::test_a_drained_worker_hands_everything_over_and_takes_nothing[local]",
    ),
    Guard(
        name="drain-inherited",
        promise="A new life of a drained process stays drained.",
        file="store/workers.py",
        text="        if former:\n",
        without="        if False:\n",
        test=f"{RELEASING}::test_a_new_life_of_the_same_process_stays_drained[local]",
    ),
    Guard(
        name="control-permission",
        promise="Nobody acts without the permission of the action.",
        file="admin/controls.py",
        text="        if not request.user.has_perm(kind.permission):\n            raise PermissionDenied\n",
        without="",
        test="admin/test_controls.py::test_without_the_permission_there_is_no_button_and_no_way[pause]",
    ),
    Guard(
        name="control-audit",
        promise="Every action leaves a row in the audit trail, in its own transaction.",
        file="services/actions/base.py",
        text="            add_entry(using, asker, review.deed)\n",
        without="",
        test="admin/test_controls.py::test_pausing_and_resuming_a_shard",
    ),
    Guard(
        name="skip-passed",
        promise="A skip is noted though the checkpoint has passed its record first.",
        file="engine/holdings.py",
        text="state.retire() for checkpoint, state in states.items()}",
        without="state.retire() for checkpoint, state in states.items() if state.skips}",
        test="contract/moving/test_skipping.py::"
        "test_without_a_live_worker_it_waits_until_one_takes_the_shard",
    ),
)
