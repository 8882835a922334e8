"""Renaming a subscription: its checkpoints, rewinds and records set aside go with the name."""

from dataclasses import dataclass

from django.db import IntegrityError, transaction

from streamapp.conf import configuration
from streamapp.exceptions import StreamappError, UnknownSubscription
from streamapp.models import Checkpoint, DeadLetter, DelayedRecord, DryRun, Quarantined, Subscription
from streamapp.services.workers import in_use


class RenameRefused(StreamappError):
    """The new name is taken, or the old one is in use."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """What a rename would move."""

    old: str
    new: str
    checkpoints: int
    quarantined: int
    delayed: int
    dead_letters: int
    mounted: bool
    """Whether STREAMAPP["SUBSCRIPTIONS"] has the new name already."""


def check(old: str, new: str) -> Renaming:
    """Say what a rename would move. Raises RenameRefused or UnknownSubscription; changes nothing."""
    _refuse(old, new)
    using = configuration().DATABASE
    return Renaming(
        old=old,
        new=new,
        checkpoints=Checkpoint.objects.using(using).filter(subscription__name=old).count(),
        quarantined=Quarantined.objects.using(using).filter(subscription=old).count(),
        delayed=DelayedRecord.objects.using(using).filter(subscription=old).count(),
        dead_letters=DeadLetter.objects.using(using).filter(subscription=old).count(),
        mounted=new in configuration().SUBSCRIPTIONS,
    )


def rename(old: str, new: str) -> Renaming:
    """Rename in one transaction. Raises as `check` does."""
    renaming = check(old, new)
    using = configuration().DATABASE
    try:
        with transaction.atomic(using=using):
            Subscription.objects.using(using).filter(name=old).update(name=new)
            for model in (Quarantined, DelayedRecord, DeadLetter, DryRun):
                model.objects.using(using).filter(subscription=old).update(subscription=new)
    except IntegrityError as error:
        raise RenameRefused(f"{new} was added in this moment. Nothing was renamed.") from error
    return renaming


def _refuse(old: str, new: str) -> None:
    stored = Subscription.objects.using(configuration().DATABASE)
    if not stored.filter(name=old).exists():
        raise UnknownSubscription(f"No subscription is called {old}. `manage.py streams status` lists all.")
    if stored.filter(name=new).exists():
        raise RenameRefused(
            f"{new} exists already, with checkpoints of its own. Choose another name. If it was started too "
            f"early under this one, stop it and run `manage.py streams forget {new} --execute` first."
        )
    if problem := in_use(old):
        raise RenameRefused(problem)
