"""An operator at the desk, with and without the permission to rewind."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from tests.admin.scenes import SETTINGS, log, started


@pytest.fixture(autouse=True)
def mounted(settings, db):
    settings.STREAMAPP = SETTINGS


@pytest.fixture
def rows():
    return started("ledger.spend", dict.fromkeys(log(first=40, end=90), 70))


def _client(user, *names):
    user.user_permissions.set(Permission.objects.filter(codename__in=names))
    client = Client()
    client.force_login(user)
    return client


SET_ASIDE = ("quarantined", "delayedrecord", "deadletter", "heldrecord")
SHOWN = ("subscription", "checkpoint", "worker", *SET_ASIDE, "dryrun", "skip", "rewind", "auditentry")
VIEWS = tuple(f"view_{name}" for name in SHOWN)


@pytest.fixture
def looker(django_user_model):
    """Somebody who may look, not at records, and not rewind."""
    return _client(django_user_model.objects.create_user("looker", is_staff=True), *VIEWS)


ACTIONS = ("rewind", "pause", "skip", "redeliver", "release")


@pytest.fixture
def chief(django_user_model):
    """Somebody who may do everything that the desk offers."""
    may = [*(f"{action}_checkpoint" for action in ACTIONS), "drain_worker"]
    return _client(django_user_model.objects.create_user("chief", is_staff=True), *VIEWS, *may)


LETTERS = (
    "edit_letter",
    "redeliver_letter",
    "dryrun_letter",
    "publish_letter",
    "purge_letter",
    "view_record",
)


@pytest.fixture
def clerk(django_user_model):
    """Somebody who may do everything to records that were set aside."""
    return _client(django_user_model.objects.create_user("clerk", is_staff=True), *VIEWS, *LETTERS)


@pytest.fixture
def operator(django_user_model):
    """Somebody who may rewind."""
    user = django_user_model.objects.create_user("operator", is_staff=True)
    return _client(user, *VIEWS, "rewind_checkpoint")


@pytest.fixture
def reader(django_user_model):
    """Somebody who may see records."""
    user = django_user_model.objects.create_user("reader", is_staff=True)
    return _client(user, *VIEWS, "view_record")
