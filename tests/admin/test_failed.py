"""Delayed records and dead letters, as an operator reads them."""

import pytest

from streamapp.models import DeadLetter, DelayedRecord
from streamapp.records import Record
from tests.admin.scenes import fail
from tests.admin.test_pages import page

HOSTILE = b"<script>alert(1)</script>"


@pytest.fixture
def failed(rows):
    record = Record(rows[0].key, 71, HOSTILE, key=b"k", headers={"by": b"test"})
    fail("ledger.spend", record)


def test_a_delayed_record_shows_its_attempt_and_its_reason(reader, failed):
    listed = page(reader, "delayedrecord/")
    assert "@71" in listed
    assert "ValueError(&#x27;busy&#x27;)" in listed
    shown = page(reader, f"delayedrecord/{DelayedRecord.objects.get().pk}/change/")
    assert "&lt;script&gt;alert(1)" in shown
    assert HOSTILE.decode() not in shown


def test_a_held_one_says_so(looker, failed):
    DelayedRecord.objects.update(due_at=None, held_reason="look at it")
    shown = page(looker, f"delayedrecord/{DelayedRecord.objects.get().pk}/change/")
    assert "look at it" in shown


def test_a_dead_letter_shows_its_failure_and_its_payload(reader, failed):
    assert "@71" in page(reader, "deadletter/")
    shown = page(reader, f"deadletter/{DeadLetter.objects.get().pk}/change/")
    for text in ("builtins.ValueError", "Traceback: line 7", "&lt;script&gt;alert(1)", "test"):
        assert text in shown
    assert HOSTILE.decode() not in shown
