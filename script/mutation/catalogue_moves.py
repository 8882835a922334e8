"""Seeks, rewinds, replays, and where reading starts."""

from mutation.guard import Guard

APPLY = "unit/test_rewind_apply.py"

GUARDS = (
    Guard(
        name="rewind-revision",
        promise="A rewind is refused when another one came between review and apply.",
        file="store/rewinds.py",
        text="if row.revision != move.revision]",
        without="if False]",
        test=f"{APPLY}::test_a_plan_is_refused_when_another_rewind_came_first_and_nothing_is_written",
    ),
    Guard(
        name="rewind-after-skip",
        promise="A rewind that was reviewed before a skip is refused: it would bring the record again.",
        file="store/operating.py",
        text='        self._checkpoints.filter(pk=checkpoint).update(revision=F("revision") + 1)\n',
        without="",
        test="admin/test_controls.py::"
        "test_a_skip_makes_a_rewind_that_was_reviewed_before_stale_and_the_refusal_says_so",
    ),
    Guard(
        name="rewind-before-out-of-range",
        promise="A rewind stands that comes while ON_OUT_OF_RANGE is followed.",
        file="engine/assigning.py",
        text="if state.target is None:  # nobody",
        without="if True:  # nobody",
        test="contract/moving/test_out_of_range.py::"
        "test_a_rewind_stands_that_is_adopted_while_the_policy_is_followed",
    ),
    Guard(
        name="rewind-epoch",
        promise="A rewind raises the epoch: a late save doesn't bring the old position back.",
        file="store/statements.py",
        text="          epoch = epoch + 1,\n",
        without="",
        test=f"{APPLY}::test_a_save_of_the_epoch_before_never_brings_the_old_position_back",
    ),
    Guard(
        name="rewind-forgets-settled",
        promise="A rewind forgets what was settled behind the checkpoint.",
        file="store/statements.py",
        text="position = new.value->>2, settled = '',\n",
        without="position = new.value->>2,\n",
        test="contract/moving/test_exactly_once.py::test_a_rewind_forgets_what_was_settled_behind_it",
    ),
    Guard(
        name="seek-forgets-settled",
        promise="So does a seek.",
        file="engine/shard.py",
        text="        self._recall = None\n        if not self._keeping.exact:",
        without="        if not self._keeping.exact:",
        test="contract/moving/test_settled_behind.py::"
        "test_a_seek_to_the_checkpoint_brings_again_what_was_settled_behind_it",
    ),
    Guard(
        name="rewind-over-seek",
        promise="A rewind that is adopted while a handler runs wins over its seek.",
        file="engine/shard.py",
        text="        if self.target is None or self.sought:\n",
        without="        if True:\n",
        test="contract/moving/test_seek_and_rewind.py::"
        "test_a_rewind_that_is_adopted_while_the_handler_runs_wins_over_its_seek",
    ),
    Guard(
        name="seek-undone-at-revoke",
        promise="A seek that wasn't saved is undone when the shard is given back.",
        file="engine/assigning.py",
        text="        self._holdings.undo_seeks(shards)\n",
        without="",
        test="contract/moving/test_seek_and_workers.py::test_a_rebalance_before_the_next_save_undoes_it",
    ),
    Guard(
        name="rewind-over-replay",
        promise="A rewind that no worker has seen wins over REPLAY_FROM.",
        file="engine/opening.py",
        text="if lease.checkpoint not in unseen}",
        without="if lease}",
        test="contract/moving/test_replay_from.py::test_a_rewind_that_no_worker_has_seen_wins_over_it_once",
    ),
    Guard(
        name="rewind-stamp-epoch",
        promise="A rewind counts as applied only once a worker reads from there.",
        file="store/checkpoints.py",
        text="if epoch <= epochs[row]",
        without="if epochs[row]",
        test="contract/store/test_rows.py::test_a_rewind_is_stamped_by_whoever_reads_from_there",
    ),
    Guard(
        name="later-shards-from-their-first",
        promise="A shard that appears after the first start opens at its first record.",
        file="engine/opening.py",
        text="firsts = {shard: bounds.first for",
        without="firsts = {shard: bounds.end for",
        test="contract/moving/test_later_shards.py::"
        "test_a_partition_that_appears_after_the_first_start_is_read_from_its_first_record",
    ),
    Guard(
        name="first-rows-together",
        promise="The first positions of all shards are stored together, before any delivery.",
        file="store/store.py",
        text="        with short_transaction(self.using, stalled=STARTING_SECONDS):\n",
        without="        if True:\n",
        test="contract/store/test_rows.py::test_the_first_rows_and_the_note_of_the_start_are_written_together",
    ),
    Guard(
        name="replay-anew",
        promise="A replay delivers all from its place on, whatever the row there remembers as settled.",
        file="engine/shard.py",
        text="None if placed.anew else placed.lease.place",
        without="placed.lease.place",
        test="contract/moving/test_replay_from.py::"
        "test_what_was_settled_behind_a_held_record_comes_again_though_the_replay_begins_at_that_record",
    ),
    Guard(
        name="reopen-forgets-settled",
        promise="A row that is reopened forgets what was settled behind the place that it leaves.",
        file="store/lineage.py",
        text='position=position, settled="", epoch',
        without="position=position, epoch",
        test="contract/store/test_lineage.py::"
        "test_a_row_that_is_reopened_remembers_nothing_as_settled_behind_it",
    ),
    Guard(
        name="rewind-over-process",
        promise="A rewind that nobody has read from is where checkpoints in the process open next.",
        file="engine/opening.py",
        text="in self._free(taken).items() if shard in self._initial",
        without="in taken.items() if shard in self._initial",
        test="contract/moving/test_process_checkpoints.py::"
        "test_a_rewind_that_nobody_has_read_from_is_where_the_next_start_opens_and_no_later_one",
    ),
)
