"""Which page shows which model."""

from django.contrib.admin import AdminSite

from streamapp.admin.audit import AuditAdmin
from streamapp.admin.checkpoints import CheckpointAdmin
from streamapp.admin.dry_runs import DryRunAdmin
from streamapp.admin.failed import DeadLetterAdmin, DelayedAdmin
from streamapp.admin.held import HeldRecordAdmin
from streamapp.admin.quarantine import QuarantinedAdmin
from streamapp.admin.rewinds import RewindAdmin
from streamapp.admin.skips import SkipAdmin
from streamapp.admin.subscriptions import SubscriptionAdmin
from streamapp.admin.workers import WorkerAdmin
from streamapp.models import (
    AuditEntry,
    Checkpoint,
    DeadLetter,
    DelayedRecord,
    DryRun,
    HeldRecord,
    Quarantined,
    Rewind,
    Skip,
    Subscription,
    Worker,
)


def register(site: AdminSite) -> None:
    """Add all pages of streamapp to a site; once a site."""
    site.register(Subscription, SubscriptionAdmin)
    site.register(Checkpoint, CheckpointAdmin)
    site.register(Worker, WorkerAdmin)
    site.register(Quarantined, QuarantinedAdmin)
    site.register(DelayedRecord, DelayedAdmin)
    site.register(DeadLetter, DeadLetterAdmin)
    site.register(DryRun, DryRunAdmin)
    site.register(Skip, SkipAdmin)
    site.register(Rewind, RewindAdmin)
    site.register(HeldRecord, HeldRecordAdmin)
    site.register(AuditEntry, AuditAdmin)
