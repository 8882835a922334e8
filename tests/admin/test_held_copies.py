"""Copies that their handler holds: they have left their shards, and wait for an operator all the same."""

import pytest

from streamapp.models import AuditEntry, DeadLetter, DelayedRecord
from streamapp.records import Record
from tests.admin.conftest import LETTERS, VIEWS, _client
from tests.admin.scenes import fail
from tests.admin.test_controls import link, press

BASE = "/admin/streamapp"


@pytest.fixture
def copies(rows):
    """A held copy, and one that waits for its time."""
    for position in (71, 72):
        fail("ledger.spend", Record(rows[0].key, position, b"{}"))
    DeadLetter.objects.all().delete()
    DelayedRecord.objects.filter(position=71).update(due_at=None, held_reason="no carrier")
    return DelayedRecord.objects.order_by("position")


@pytest.fixture
def clerk(django_user_model):
    """Somebody who may redeliver, and skip what is held."""
    user = django_user_model.objects.create_user("clerk", is_staff=True)
    return _client(user, *VIEWS, *LETTERS, "skip_checkpoint")


def change(row):
    return f"{BASE}/delayedrecord/{row.pk}/change/"


def test_a_held_copy_is_skipped_with_a_reason(clerk, copies):
    held, waiting = copies
    assert "Skip" not in link(clerk, change(waiting), "")
    press(clerk, change(held), "Skip", reason="")
    assert DelayedRecord.objects.count() == 2
    press(clerk, change(held), "Skip", reason="the carrier is gone")
    assert DelayedRecord.objects.get() == waiting
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.subject, entry.reason) == ("skip", "orders/0@71", "the carrier is gone")


def test_a_held_copy_is_redelivered_and_held_no_more(clerk, copies):
    press(clerk, change(copies[0]), "Redeliver")
    row = DelayedRecord.objects.get(position=71)
    assert (row.due_at is not None, row.held_reason) == (True, "")


def test_of_a_selection_only_held_ones_are_skipped(clerk, copies):
    given = {"action": "skip", "_selected_action": [row.pk for row in copies], "index": "0"}
    asked = clerk.post(f"{BASE}/delayedrecord/", given)
    given = {"ids": asked.context["ids"], "reason": "gone"}
    answer = clerk.post(asked.context["act"], given, follow=True)
    assert DelayedRecord.objects.get().position == 72
    assert "rders/0@72: it isn&#x27;t held" in answer.content.decode()


def test_skipping_takes_the_permission_to_skip(django_user_model, clerk, copies):
    user = django_user_model.objects.create_user("redeliverer", is_staff=True)
    other = _client(user, *VIEWS, *LETTERS)
    address = link(clerk, change(copies[0]), "Skip")
    assert "Skip" not in link(other, change(copies[0]), "")
    assert other.post(address, {"ids": copies[0].pk, "reason": "x"}).status_code == 403
    assert DelayedRecord.objects.count() == 2


def test_only_delayed_records_are_skipped_here(clerk, copies):
    assert clerk.get(f"{BASE}/deadletter/act/skip/?ids=1").status_code == 404


def test_held_records_lead_to_held_copies(clerk, copies):
    text = clerk.get(f"{BASE}/heldrecord/").content.decode()
    address = f"{BASE}/delayedrecord/?state=held"
    assert f'href="{address}"' in text
    shown = clerk.get(address).content.decode()
    assert "orders/0@71" in shown and "orders/0@72" not in shown
    waiting = clerk.get(f"{BASE}/delayedrecord/?state=waiting").content.decode()
    assert "orders/0@71" not in waiting and "orders/0@72" in waiting
    DelayedRecord.objects.filter(position=71).delete()
    assert address not in clerk.get(f"{BASE}/heldrecord/").content.decode()
