"""Handlers: what is rolled back, and before what."""

from mutation.guard import Guard

TRANSACTIONS = "contract/engine/test_transactions.py"

GUARDS = (
    Guard(
        name="rollback-before-retry",
        promise="The writes of an attempt that asks for another are rolled back.",
        file="engine/calling.py",
        text="                transaction.set_rollback(True, using=using)\n",
        without="                pass\n",
        test=f"{TRANSACTIONS}::test_the_writes_of_an_attempt_that_asks_for_another_are_gone",
    ),
    Guard(
        name="handler-transaction",
        promise="The writes of a handler that raises are rolled back.",
        file="engine/calling.py",
        text='if mount.transaction == "handler" else call',
        without='if mount.transaction == "nothing" else call',
        test=f"{TRANSACTIONS}::test_the_writes_of_a_handler_that_raises_are_gone",
    ),
    Guard(
        name="swallowed-error",
        promise="An ack after a swallowed database error is none: its transaction can't be committed.",
        file="engine/calling.py",
        text="    if _is_broken(using):\n",
        without="    if False:\n",
        test=f"{TRANSACTIONS}::test_an_ack_after_a_swallowed_database_error_is_none",
    ),
    Guard(
        name="quarantine-before-drop",
        promise="A record that can't be decoded is kept before it is settled.",
        file="engine/handling.py",
        text="            self._quarantine(part, index, reason)\n",
        without="            pass\n",
        test="contract/engine/test_undecodable.py::"
        "test_is_kept_whole_with_its_place_and_reason_and_the_shard_goes_on",
    ),
)
