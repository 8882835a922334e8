"""What other parts of a project may want to hear of.

Receivers run in the consumer process, in a thread that does nothing else, in the order in which things
happened: a slow one delays later signals and never a record or a checkpoint. While 10 000 wait, further
ones are dropped, with an error in the log. What a receiver raises is logged and goes no further. A process
that is killed sends nothing of what waits, so don't rest a promise on them. Connect receivers in
`AppConfig.ready`.

The sender is the subscription's name. Compare it in the receiver: `connect(sender=...)` compares
identities, which equal texts don't share.
"""

from django.dispatch import Signal

checkpoint_advanced = Signal()
"""A checkpoint was written; at most once a shard and SAVE_INTERVAL. Arguments: `shard`, `position`."""

record_held = Signal()
"""A record was held, and its row is there. Arguments: `shard`, `position`, `reason`."""

lease_taken = Signal()
"""This worker reads a shard from now on. Arguments: `shard`, `worker`."""

lease_lost = Signal()
"""This worker reads a shard no more: given back, revoked or taken away. Arguments: `shard`, `worker`."""

shard_finished = Signal()
"""A closed shard was read to its end and everything in it is settled. Argument: `shard`."""
