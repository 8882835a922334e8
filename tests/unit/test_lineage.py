"""Parents before children, and what rows are to learn from a listing."""

from streamapp.engine.lineage import are_born, descendants, incomplete, left, readable, returned
from streamapp.records import Shard
from streamapp.store.lineage import Standing

OLD, LEFT, RIGHT, MERGED = (Shard("shipments", name) for name in ("old", "left", "right", "merged"))
SPLIT = {OLD: (), LEFT: (OLD,), RIGHT: (OLD,)}
MERGE = {**SPLIT, MERGED: (LEFT, RIGHT)}


def row(checkpoint=1, parents=(), finished=False, retired=False) -> Standing:
    return Standing(checkpoint, parents, finished, retired)


def test_children_wait_for_their_parent():
    assert readable(SPLIT, set()) == [OLD]


def test_children_are_read_once_the_parent_is_finished_and_the_parent_no_more():
    assert readable(SPLIT, {OLD}) == [LEFT, RIGHT]


def test_a_merged_shard_waits_for_both_parents():
    assert readable(MERGE, {OLD, LEFT}) == [RIGHT]
    assert readable(MERGE, {OLD, LEFT, RIGHT}) == [MERGED]


def test_a_parent_that_the_stream_no_longer_lists_does_not_count():
    assert readable({LEFT: (OLD,), RIGHT: (OLD,)}, set()) == [LEFT, RIGHT]


def test_descendants_are_children_of_children_too():
    assert descendants([OLD], MERGE) == {LEFT, RIGHT, MERGED}
    assert descendants([RIGHT], MERGE) == {MERGED}
    assert descendants([MERGED], MERGE) == set()


def test_an_ended_shard_whose_children_are_listed_needs_no_other_listing():
    assert are_born([OLD], SPLIT)
    assert not are_born([OLD, LEFT], SPLIT)
    assert are_born([], {})


def test_a_row_is_completed_by_parents_found_later_and_keeps_those_it_names():
    rows = {LEFT: row(1, ("old",)), MERGED: row(2, ("right",)), OLD: row(3)}
    assert incomplete(MERGE, rows) == {2: ["right", "left"]}


def test_the_row_of_a_shard_that_its_stream_no_longer_lists_has_left_once():
    gone = Shard("shipments", "gone")
    assert left(SPLIT, {OLD: row(), gone: row(2)}) == {gone: row(2)}
    assert left(SPLIT, {OLD: row(), gone: row(2, retired=True)}) == {}


def test_an_older_incarnation_has_left():
    older = Shard("shipments", "old", "before")
    assert left(SPLIT, {OLD: row(1), older: row(2)}) == {older: row(2)}


def test_a_stream_that_lists_nothing_retires_nothing():
    assert left({}, {OLD: row()}) == {}
    assert left({Shard("letters", "0"): ()}, {OLD: row()}) == {}


def test_a_retired_row_returns_with_its_shard():
    assert returned(SPLIT, {OLD: row(7, retired=True), LEFT: row(8)}) == [7]
