"""Parents before children."""

from streamapp.engine.lineage import readable
from streamapp.records import Shard

OLD, LEFT, RIGHT, MERGED = (Shard("shipments", name) for name in ("old", "left", "right", "merged"))
SPLIT = {LEFT: (OLD,), RIGHT: (OLD,)}


def test_children_wait_for_their_parent():
    assert readable([OLD, LEFT, RIGHT], SPLIT, set()) == [OLD]


def test_children_are_read_once_the_parent_is_finished_and_the_parent_no_more():
    assert readable([OLD, LEFT, RIGHT], SPLIT, {OLD}) == [LEFT, RIGHT]


def test_a_merged_shard_waits_for_both_parents():
    parents = {**SPLIT, MERGED: (LEFT, RIGHT)}
    assert readable([OLD, LEFT, RIGHT, MERGED], parents, {OLD, LEFT}) == [RIGHT]
    assert readable([OLD, LEFT, RIGHT, MERGED], parents, {OLD, LEFT, RIGHT}) == [MERGED]


def test_a_parent_that_the_stream_no_longer_lists_does_not_count():
    assert readable([LEFT, RIGHT], SPLIT, set()) == [LEFT, RIGHT]
