"""TRANSACTION = "checkpoint"."""

from mutation.guard import Guard

ONCE = "contract/moving/test_exactly_once.py"
FAILURES = "contract/moving/test_exactly_once_failures.py"
SHARDS = "contract/moving/test_exactly_once_shards.py"

GUARDS = (
    Guard(
        name="refused-commit",
        promise="Where a row is not as believed, nothing is committed.",
        file="engine/committing.py",
        text="        if len(moved) < len(exchanges):\n",
        without="        if False:\n",
        test=f"{ONCE}::test_a_commit_whose_reply_was_lost_is_not_repeated",
    ),
    Guard(
        name="read-back-after-refusal",
        promise="After a refused commit reading goes on from what the rows say.",
        file="engine/exact.py",
        text="            self._let_go(part)\n            raise Outage",
        without="            raise Outage",
        test=f"{ONCE}::test_a_commit_whose_reply_was_lost_is_not_repeated",
    ),
    Guard(
        name="batch-undone-whole",
        promise="A batch of which one shard was taken is rolled back whole; the others' records come again.",
        file="engine/committing.py",
        text="        if len(moved) < len(exchanges):\n",
        without="        if exchanges and not moved:\n",
        test=f"{SHARDS}::"
        "test_a_batch_of_which_one_shard_was_taken_is_undone_whole_and_the_others_records_come_again[local]",
        needs="postgres",
    ),
    Guard(
        name="confirm-after-commit",
        promise="A record counts as settled only after the commit.",
        file="engine/transactions.py",
        text="            self._committer.confirm(settled, places)\n",
        without="                self._committer.confirm(settled, places)\n",
        test=f"{FAILURES}::test_a_record_whose_commit_was_refused_is_handled_once_the_cause_is_gone",
    ),
    Guard(
        name="unsettled-leaves-no-writes",
        promise="What isn't settled leaves no writes.",
        file="engine/transactions.py",
        text="                    transaction.set_rollback(True, using=self._using)\n",
        without="                    pass\n",
        test=f"{ONCE}::test_what_is_not_settled_leaves_no_writes",
    ),
    Guard(
        name="writes-elsewhere",
        promise="A write to another database is refused.",
        file="engine/transactions.py",
        text="        if WRITING.match(sql):\n",
        without="        if False:\n",
        test=f"{FAILURES}::test_a_write_to_another_database_is_refused_and_says_what_to_do",
    ),
    Guard(
        name="rewind-by-the-owner",
        promise="A worker whose shard was taken rewinds nothing.",
        file="engine/committing.py",
        text="        if self._store.checkpoints.locked_epochs(epochs) != epochs:\n",
        without="        if False:\n",
        test=f"{SHARDS}::test_a_worker_that_was_fenced_while_its_handler_ran_rewinds_nothing[local]",
        needs="postgres",
    ),
    Guard(
        name="rewind-of-another-shard",
        promise="A record that asks for a rewind of another shard is settled with its effects.",
        file="engine/transactions.py",
        text="settled = self._committer.unmoved(settled)",
        without="settled = []",
        test=f"{SHARDS}::test_a_rewind_of_another_shard_settles_the_record_that_asked_for_it",
    ),
    Guard(
        name="several-rewinds",
        promise="A call may ask for several rewinds.",
        file="engine/moving.py",
        text="        if self._before_rewind and not self.rewound:\n",
        without="        if self._before_rewind:\n",
        test=f"{SHARDS}::test_several_rewinds_of_one_call_are_one_transaction",
    ),
    Guard(
        name="settled-is-recalled",
        promise="After a crash only what is unsettled comes again.",
        file="engine/shard.py",
        text="self._known = recalled(self.shard, recall) if stands and recall else NONE",
        without="self._known = NONE",
        test=f"{ONCE}::test_behind_a_held_record_only_what_is_unsettled_comes_again",
    ),
    Guard(
        name="unreadable-settled",
        promise="What can't be read of it counts as not settled.",
        file="engine/settled.py",
        text="    except ValueError as error:\n",
        without="    except ZeroDivisionError as error:\n",
        test=f"{ONCE}::test_settled_text_that_cannot_be_read_counts_as_none_and_says_so",
    ),
)
