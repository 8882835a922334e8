"""Failed records: what is written before they leave, and in which order others come back."""

from mutation.guard import Guard

MOVING = "contract/moving/test_ladder.py"
STREAMS = "contract/engine/test_copies_in_streams.py"
DELAYED = "contract/engine/test_delayed_records.py"
LETTERS = "contract/engine/test_dead_letters.py"
WAITING = "contract/engine/test_waiting_behind_held.py"

GUARDS = (
    Guard(
        name="limit-for-all",
        promise="All workers of a subscription have one DEAD_LETTER_LIMIT together.",
        file="store/letter_counts.py",
        text="        return bool(row.records - oldest <= limit.records)\n",
        without="        return False\n",
        test="contract/moving/test_letter_limits.py::"
        "test_a_broken_deploy_on_two_workers_writes_no_more_letters_than_on_one",
    ),
    Guard(
        name="limit-counted-once",
        promise="A record counts once, however often its letter is tried.",
        file="store/letter_counts.py",
        text="            if letters.filter(record=letter.record).exists():\n                return True\n",
        without="",
        test="contract/store/test_letter_counts.py::"
        "test_a_record_counts_once_however_often_its_letter_is_tried",
    ),
    Guard(
        name="letter-epoch",
        promise="A worker whose shard was rewound or taken writes no dead letter and no copy.",
        file="engine/leaving.py",
        text="                    self._committer.hold_fast([part])\n",
        without="",
        test=f"{MOVING}::test_a_worker_whose_shard_was_rewound_writes_no_letter",
    ),
    Guard(
        name="letter-with-checkpoint",
        promise='Under TRANSACTION = "checkpoint" a dead letter and its checkpoint are one commit.',
        file="engine/leaving.py",
        text="        return self._mount.is_exact\n",
        without="        return False\n",
        test=f"{LETTERS}::test_under_exactly_once_the_letter_and_the_checkpoint_are_one_commit",
    ),
    Guard(
        name="confirmed-before-settled",
        promise="A record is settled only after a stream has confirmed its copy or dead letter.",
        file="engine/leaving.py",
        text="        record = departure.record\n        self._broker.publish(\n",
        without="        record = departure.record\n"
        "        self._committer.confirm([departure.part], {})\n        self._broker.publish(\n",
        test=f"{STREAMS}::test_while_a_dead_letter_is_refused_its_record_stays_held",
    ),
    Guard(
        name="refusals-bounded",
        promise="A place that refuses records is tried six times a minute, however many records fail.",
        file="engine/leaving.py",
        text="        if not self.stranding.is_open(departure.to):\n",
        without="        if False:\n",
        test=f"{STREAMS}::test_many_failures_do_not_make_more_tries",
    ),
    Guard(
        name="stranded-goes-behind",
        promise="A record that is refused for its own sake keeps no other from leaving.",
        file="engine/leaving.py",
        text="            elif was_open:\n                refused.append(departure)\n",
        without="",
        test=f"{STREAMS}::test_a_record_that_is_refused_for_its_own_sake_keeps_no_other_from_leaving",
    ),
    Guard(
        name="claimed-once",
        promise="A delayed record in a worker's hand is nobody else's until the claim runs out.",
        file="store/failed.py",
        text="Q(claimed_until=None) | Q(claimed_until__lt=Now())",
        without="Q()",
        test=f"{DELAYED}::test_a_copy_in_hand_is_nobody_elses_and_comes_again_when_its_claim_has_run_out",
    ),
    Guard(
        name="claim-named",
        promise="A worker whose claim has become another one's writes nothing of the record.",
        file="store/failed.py",
        text="(Q(id__in=ids, claim=c) for c, ids in",
        without="(Q(id__in=ids) for c, ids in",
        test=f"{MOVING}::test_a_worker_whose_claim_is_somebody_elses_writes_nothing",
    ),
    Guard(
        name="claim-of-its-own",
        promise="A delayed record is written to by its own claim, not by one of its neighbours.",
        file="store/failed.py",
        text="Q(id__in=ids, claim=c) for c, ids in rows_of.items()",
        without="Q(id__in=claims, claim=c) for c in rows_of",
        test="contract/store/test_delayed.py::test_a_claim_of_one_record_says_nothing_of_another_that_shares_it",
    ),
    Guard(
        name="anew-unclaimed",
        promise="A record that fails anew keeps its copy from the worker that has handled it before.",
        file="store/failed.py",
        text="update_fields=UNCLAIMED",
        without='update_fields=("subscription",)',
        test="contract/store/test_delayed.py::"
        "test_a_record_that_fails_anew_keeps_its_copy_from_whoever_has_just_handled_it",
    ),
    Guard(
        name="lost-claim-let-go",
        promise="A copy whose claim was lost isn't handled again and again.",
        file="engine/committing.py",
        text="            part.state.void()\n",
        without="            pass\n",
        test=f"{DELAYED}::test_a_copy_whose_claim_was_lost_is_not_handled_again_and_again",
    ),
    Guard(
        name="exact-retired",
        promise="What a failure retires of an exactly-once batch is settled, though its transaction isn't.",
        file="engine/exact.py",
        text=" or not part.span.is_passed(index)",
        without="",
        test="contract/engine/test_failures.py::test_on_error_may_retire_a_record_in_every_transaction",
    ),
    Guard(
        name="stranded-takes-no-room",
        promise="Copies whose letters are refused keep no other copy waiting.",
        file="engine/delays.py",
        text="sum(not copy.stranded for copy in self._in_hand)",
        without="len(self._in_hand)",
        test=f"{STREAMS}::test_copies_whose_letters_are_refused_keep_no_other_copy_waiting",
    ),
    Guard(
        name="rollback-before-delay",
        promise="The writes of an attempt that asks for a later one are rolled back.",
        file="engine/calling.py",
        text="(Kind.RETRY, Kind.RETRY_AFTER)",
        without="(Kind.RETRY,)",
        test=f"{DELAYED}::test_the_handler_may_ask_for_a_delay_without_a_limit_of_attempts",
    ),
    Guard(
        name="held-stops-its-line",
        promise="With HOLD, later records of the key or the shard wait behind a held one.",
        file="engine/shard.py",
        text="                self.waits.block(part, index)\n",
        without="                pass\n",
        test=f"{WAITING}::test_they_come_back_in_order_when_it_is_settled",
    ),
    Guard(
        name="waiting-comes-first",
        promise="What has waited behind a held record comes back in order, before anything later.",
        file="engine/lanes/one.py",
        text="            for part in reversed(parts):\n",
        without="            for part in parts:\n",
        test=f"{WAITING}::test_later_polls_wait_too_and_in_order",
    ),
    Guard(
        name="skip-ends-its-line",
        promise="Skipping a held record lets go on what waits behind it.",
        file="engine/shard.py",
        text="                    self.waits.end_at(position)\n",
        without="                    pass\n",
        test=f"{MOVING}::test_what_waits_goes_on_in_order_when_the_held_record_is_skipped",
    ),
    Guard(
        name="letters-limited",
        promise="After too many dead letters no more are written: records are held.",
        file="store/letter_counts.py",
        text="            if self._is_too_many(row, letters, limit):\n",
        without="            if False:\n",
        test="contract/engine/test_dead_letter_limit.py::"
        "test_after_so_many_in_a_row_records_are_held_and_the_subscription_is_paused",
    ),
    Guard(
        name="counts-come-to-an-end",
        promise="Exceptions that take turns use up the attempts in place too.",
        file="engine/rungs.py",
        text="tried = failures.count(class_of(outcome)) + 1",
        without="tried = failures[-1:].count(class_of(outcome)) + 1",
        test="contract/engine/test_failures.py::test_classes_that_take_turns_come_to_an_end",
    ),
)
