"""What an operator may do beside a rewind; the admin and `manage.py streams` do it through these."""

from streamapp.services.actions.base import Action, Review
from streamapp.services.actions.drain import Drain, Undrain
from streamapp.services.actions.dry_run import DryRunHeld
from streamapp.services.actions.pause import Pause, Resume
from streamapp.services.actions.redeliver import Redeliver
from streamapp.services.actions.release import Release
from streamapp.services.actions.skip import Skip
from streamapp.store.audit import Asker

__all__ = [
    "Action",
    "Asker",
    "Drain",
    "DryRunHeld",
    "Pause",
    "Redeliver",
    "Release",
    "Resume",
    "Review",
    "Skip",
    "Undrain",
]
