"""Card spend as rows."""

import pytest

from projects.ledger.messages import Entry
from projects.ledger.models import Spend, SpendRevision

pytestmark = pytest.mark.django_db


def _spend() -> dict[int, tuple[str, int]]:
    return {row.entry_id: (row.card, row.cents) for row in Spend.objects.all()}


def test_entries_become_rows_and_come_again_without_harm() -> None:
    entries = [Entry(1, "card-1", 500), Entry(2, "card-2", 70)]
    Spend.objects.record(entries)
    Spend.objects.record(entries)

    assert _spend() == {1: ("card-1", 500), 2: ("card-2", 70)}


def test_of_one_entry_the_newest_revision_in_a_batch_is_written() -> None:
    Spend.objects.record([Entry(1, "card-1", 450, revision=2), Entry(1, "card-1", 500)])

    assert _spend() == {1: ("card-1", 450)}


def test_what_a_worker_had_read_before_a_correction_never_replaces_it() -> None:
    Spend.objects.record([Entry(1, "card-1", 450, revision=2)])
    Spend.objects.record([Entry(1, "card-1", 500), Entry(2, "card-1", 30)])

    assert _spend() == {1: ("card-1", 450), 2: ("card-1", 30)}


def test_one_caller_only_goes_on_to_a_newer_revision() -> None:
    assert [SpendRevision.advance(revision) for revision in (1, 2, 2, 1, 3)] == [
        False,
        True,
        False,
        False,
        True,
    ]
