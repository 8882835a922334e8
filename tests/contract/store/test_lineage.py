"""What rows say of lineage changes once, and never against what somebody else has written."""

import pytest

from streamapp.models import Checkpoint
from streamapp.positions import SHARD_END


def test_of_several_that_retire_a_row_one_is_told_so(rows):
    row = rows.row()
    assert rows.store.lineage.retire([row.pk]) == {row.pk}
    assert rows.store.lineage.retire([row.pk]) == set()
    assert rows.row().retired_at is not None
    assert rows.row().revision == row.revision + 1


def test_a_row_is_restored_once(rows):
    row = rows.row()
    rows.store.lineage.retire([row.pk])
    rows.store.lineage.restore([row.pk])
    rows.store.lineage.restore([row.pk])
    assert (rows.row().retired_at, rows.row().revision) == (None, row.revision + 2)


def test_parents_are_completed_once(rows):
    row = rows.row()
    for _ in range(2):
        rows.store.lineage.complete({row.pk: ["left", "right"]})
    assert (rows.row().parents, rows.row().revision) == (["left", "right"], row.revision + 1)


def test_a_row_that_is_reopened_fences_its_owner_once(rows):
    row = rows.row()
    for _ in range(2):
        rows.store.lineage.reopen({row.pk: 7})
    assert (rows.row().position, rows.row().epoch) == (7, row.epoch + 1)


@pytest.mark.parametrize("position", [7, 100])
def test_a_row_that_is_reopened_remembers_nothing_as_settled_behind_it(rows, position):
    """Also where it stands already: behind a held record it may be for long."""
    row = rows.row()
    Checkpoint.objects.filter(pk=row.pk).update(position=100, settled="5+3")
    rows.store.lineage.reopen({row.pk: position})
    assert (rows.row().position, rows.row().settled) == (position, "")


def test_a_row_stands_as_finished_when_it_says_so(rows):
    row = rows.row()
    rows.store.lineage.reopen({row.pk: SHARD_END})
    standing = rows.store.lineage.standings(rows.subscription)[row.key]
    assert (standing.checkpoint, standing.finished, standing.retired) == (row.pk, True, False)
