"""What other parts of a project may want to hear of.

Receivers run in the worker, in the thread in which it happened and between its other duties, so they
must be quick; what they raise is logged and goes no further. Connect them in `AppConfig.ready`.
The sender is the subscription's name.
"""

from django.dispatch import Signal

checkpoint_advanced = Signal()
"""A checkpoint was written. Arguments: `shard`, `position`."""

record_held = Signal()
"""A record was held, and its row is there. Arguments: `shard`, `position`, `reason`."""

lease_taken = Signal()
"""This worker reads a shard from now on. Arguments: `shard`, `worker`."""

lease_lost = Signal()
"""This worker reads a shard no more: given back, revoked or taken away. Arguments: `shard`, `worker`."""

shard_finished = Signal()
"""A closed shard was read to its end and everything in it is settled. Argument: `shard`."""
