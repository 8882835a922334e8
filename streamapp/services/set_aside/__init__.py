"""Records set aside: dead letters, the quarantine, delayed records. What operators do with them."""

from streamapp.services.set_aside.base import Done, SetAsideAction, in_chunks
from streamapp.services.set_aside.dry_run import DryRunSetAside
from streamapp.services.set_aside.publish import Publish
from streamapp.services.set_aside.purge import Purge
from streamapp.services.set_aside.redeliver import RedeliverSetAside
from streamapp.services.set_aside.skip import SkipHeldCopy

__all__ = [
    "Done",
    "DryRunSetAside",
    "Publish",
    "Purge",
    "RedeliverSetAside",
    "SetAsideAction",
    "SkipHeldCopy",
    "in_chunks",
]
