"""Rows of checkpoints: who may write what."""

from mutation.guard import Guard

FENCING = "contract/store/test_fencing.py"
EXCHANGE = "contract/store/test_exchange.py"
SQLITE_EPOCH = (
    "WHERE streamapp_checkpoint.id = new.value->>0 AND streamapp_checkpoint.epoch = new.value->>1\n"
)
POSTGRES_EPOCH = "WHERE stored.id = new.id AND stored.epoch = new.epoch\n"
FORGET = "        HeldRecord.objects.using(self._using).filter(checkpoint__in=checkpoints).delete()\n"
READ_AFTER = (
    '        mine.update(epoch=F("epoch") + 1)\n'
    f"{FORGET}"
    '        rows = mine.only("epoch", "position", "settled")\n'
)
READ_BEFORE = (
    '        rows = list(mine.annotate(raised=F("epoch") + 1))\n'
    "        for row in rows:\n"
    "            row.epoch = row.raised\n"
    '        mine.update(epoch=F("epoch") + 1)\n'
)

GUARDS = (
    Guard(
        name="save-epoch",
        promise="A save of a worker whose shard was taken is refused.",
        file="store/statements.py",
        text=f"{SQLITE_EPOCH}          AND (new.value->>4",
        without="WHERE streamapp_checkpoint.id = new.value->>0\n          AND (new.value->>4",
        test=f"{FENCING}::test_late_saves_of_the_old_owner_are_refused_backwards_and_forwards",
    ),
    Guard(
        name="save-epoch-postgres",
        promise="The same on PostgreSQL.",
        file="store/statements.py",
        text=f"{POSTGRES_EPOCH}          AND (new.first",
        without="WHERE stored.id = new.id\n          AND (new.first",
        test=f"{FENCING}::test_late_saves_of_the_old_owner_are_refused_backwards_and_forwards",
        needs="postgres",
    ),
    Guard(
        name="save-forwards",
        promise="Within a generation a checkpoint never moves back.",
        file="store/statements.py",
        text="AND (new.value->>4 OR streamapp_checkpoint.position < new.value->>2",
        without="AND (1 OR streamapp_checkpoint.position < new.value->>2",
        test=f"{FENCING}::test_a_checkpoint_only_moves_forwards_within_a_generation",
    ),
    Guard(
        name="save-first-backwards",
        promise="The first save of a generation may go back: a seek stands.",
        file="store/statements.py",
        text="AND (new.value->>4 OR streamapp_checkpoint.position < new.value->>2",
        without="AND (streamapp_checkpoint.position < new.value->>2",
        test=f"{FENCING}::test_the_first_save_of_a_generation_may_go_backwards",
    ),
    Guard(
        name="takeover-epoch",
        promise="A takeover raises the epoch.",
        file="store/leases.py",
        text='mine.update(epoch=F("epoch") + 1)',
        without='mine.update(epoch=F("epoch"))',
        test=f"{FENCING}::test_late_saves_of_the_old_owner_are_refused_backwards_and_forwards",
    ),
    Guard(
        name="takeover-reads-after",
        promise="A takeover raises the epoch first and reads the position after.",
        file="store/leases.py",
        text=READ_AFTER,
        without=READ_BEFORE,
        test=f"{EXCHANGE}::test_a_takeover_that_meets_a_save_starts_behind_it",
        needs="postgres",
    ),
    Guard(
        name="exchange-epoch",
        promise="A commit of a worker whose shard was taken is refused.",
        file="store/statements.py",
        text=f"{SQLITE_EPOCH}          AND streamapp_checkpoint.position",
        without="WHERE streamapp_checkpoint.id = new.value->>0\n          AND streamapp_checkpoint.position",
        test=f"{EXCHANGE}::test_a_row_that_another_worker_has_taken_does_not_move",
    ),
    Guard(
        name="exchange-epoch-postgres",
        promise="The same on PostgreSQL.",
        file="store/statements.py",
        text=f"{POSTGRES_EPOCH}          AND stored.position",
        without="WHERE stored.id = new.id\n          AND stored.position",
        test=f"{EXCHANGE}::test_a_row_that_another_worker_has_taken_does_not_move",
        needs="postgres",
    ),
    Guard(
        name="exchange-position",
        promise="After a commit whose reply was lost the next one is refused: the row says another position.",
        file="store/statements.py",
        text="          AND streamapp_checkpoint.position = new.value->>2\n",
        without="",
        test=f"{EXCHANGE}::test_a_row_whose_position_is_another_does_not_move",
    ),
    Guard(
        name="exchange-settled",
        promise="The same where only what is settled behind the checkpoint has changed.",
        file="store/statements.py",
        text="          AND streamapp_checkpoint.settled = new.value->>3\n",
        without="",
        test=f"{EXCHANGE}::test_a_row_of_which_something_else_is_settled_does_not_move",
    ),
    Guard(
        name="exchange-settled-postgres",
        promise="The same on PostgreSQL.",
        file="store/statements.py",
        text="AND stored.position = new.old_position AND stored.settled = new.old_settled",
        without="AND stored.position = new.old_position",
        test=f"{EXCHANGE}::test_a_row_of_which_something_else_is_settled_does_not_move",
        needs="postgres",
    ),
    Guard(
        name="held-epoch",
        promise="Held records of a worker whose shard was taken are not shown.",
        file="store/records.py",
        text="if epochs[pk] == epoch}",
        without="if epochs}",
        test="contract/store/test_rows.py::test_held_records_are_shown_only_by_the_owner",
    ),
    Guard(
        name="forget-held-epoch",
        promise="Such a worker doesn't delete the held records that the new owner shows.",
        file="store/checkpoints.py",
        text="for checkpoint, epoch in stored if epoch == epochs[checkpoint]]",
        without="for checkpoint, epoch in stored]",
        test="contract/store/test_rows.py::test_a_zombie_does_not_delete_the_held_records_that_the_new_owner_shows",
    ),
    Guard(
        name="ended-held-by-epoch",
        promise="A held record that has ended for a zombie is still shown by the new owner, who holds it.",
        file="store/records.py",
        text="rows.filter(checkpoint__epoch=epochs[checkpoint]).delete()",
        without="rows.delete()",
        test="contract/store/test_rows.py::test_nor_one_that_has_ended_for_the_zombie_only",
    ),
)
