"""Forgetting a subscription: its checkpoints and all that hangs on them go, for good."""

from dataclasses import dataclass

from django.db import transaction

from streamapp.conf import configuration
from streamapp.exceptions import StreamappError, UnknownSubscription
from streamapp.models import Checkpoint, DeadLetter, DelayedRecord, DryRun, Quarantined, Rewind, Subscription
from streamapp.services.workers import in_use


class ForgetRefused(StreamappError):
    """A live worker runs the subscription."""


@dataclass(frozen=True, slots=True)
class Forgetting:
    """What is deleted with a subscription."""

    name: str
    checkpoints: int
    rewinds: int
    quarantined: int
    delayed: int
    dead_letters: int
    mounted: bool
    """Whether STREAMAPP["SUBSCRIPTIONS"] has the name: its next start is then a first start."""


def check(name: str) -> Forgetting:
    """Say what would be deleted. Raises ForgetRefused or UnknownSubscription; changes nothing."""
    using = configuration().DATABASE
    if not Subscription.objects.using(using).filter(name=name).exists():
        raise UnknownSubscription(f"No subscription is called {name}. `manage.py streams status` lists all.")
    if problem := in_use(name):
        raise ForgetRefused(problem)
    return Forgetting(
        name=name,
        checkpoints=Checkpoint.objects.using(using).filter(subscription__name=name).count(),
        rewinds=Rewind.objects.using(using).filter(subscription__name=name).count(),
        quarantined=Quarantined.objects.using(using).filter(subscription=name).count(),
        delayed=DelayedRecord.objects.using(using).filter(subscription=name).count(),
        dead_letters=DeadLetter.objects.using(using).filter(subscription=name).count(),
        mounted=name in configuration().SUBSCRIPTIONS,
    )


def forget(name: str) -> Forgetting:
    """Delete in one transaction. Raises as `check` does."""
    using = configuration().DATABASE
    with transaction.atomic(using=using):
        forgetting = check(name)
        for model in (Quarantined, DelayedRecord, DeadLetter, DryRun):
            model.objects.using(using).filter(subscription=name).delete()
        Subscription.objects.using(using).filter(name=name).delete()
    return forgetting
