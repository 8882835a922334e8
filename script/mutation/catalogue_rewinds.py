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
)
