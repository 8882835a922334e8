"""A look on the local broker: around a place, by time, the tail, and what is said about it."""

import pytest

from streamapp.brokers.local import LocalBroker
from streamapp.exceptions import InvalidPosition, UnknownSubscription
from streamapp.models import LocalRecord
from streamapp.records import Shard
from streamapp.services import peek
from tests.admin.scenes import SETTINGS, log


@pytest.fixture(autouse=True)
def mounted(settings, db):
    settings.STREAMAPP = SETTINGS


@pytest.fixture
def shard() -> Shard:
    """Records 40 to 89 are kept; record n was written n minutes after dawn."""
    return log()[0]


def looked(shard: Shard, text: str, **more: int):
    found = peek.look("ledger.spend", shard, text, **more)
    return [record.position for record in found.records], found


def test_a_look_shows_the_record_with_its_neighbours_on_both_sides(shard):
    positions, found = looked(shard, "70", before=2, after=3)
    assert positions == [68, 69, 70, 71, 72]
    assert (found.here, found.notes) == (70, ())
    assert (found.earlier, found.later) == ("63", "73")


@pytest.mark.parametrize("text", ["0@70", "orders/0@70", "2026-11-01T01:09:30Z"])
def test_a_place_may_be_written_like_any_position(shard, text):
    assert looked(shard, text)[1].here == 70


def test_the_tail_is_what_lies_in_front_of_the_end(shard):
    positions, found = looked(shard, "latest", before=3)
    assert positions == [87, 88, 89]
    assert found.notes == ("There is no record from 90 on yet.",)
    assert found.later == "90"


def test_the_beginning_has_nothing_in_front_of_it(shard):
    positions, found = looked(shard, "earliest", before=5, after=2)
    assert positions[0] == 40
    assert found.earlier is None


def test_a_place_that_is_not_kept_shows_the_oldest_record_and_says_so(shard):
    positions, found = looked(shard, "10", after=2)
    assert positions[0] == 40
    assert found.notes == ("The log doesn't keep 10 any more: it begins at 40.",)


def test_a_place_behind_the_end_says_where_the_end_is(shard):
    assert looked(shard, "4000")[1].notes == ("4000 is behind the end of the log, which is 90.",)


def test_a_gap_says_which_record_comes_next(shard):
    LocalRecord.objects.filter(partition__number=0, offset__in=(70, 71)).delete()
    positions, found = looked(shard, "70", before=1, after=1)
    assert (positions, found.here) == ([69, 72], 72)
    assert found.notes == ("No record is at 70: compaction or a transaction left a gap. Next is 72.",)


def test_large_neighbours_never_hide_the_record_that_was_asked_for(shard, monkeypatch):
    monkeypatch.setattr(peek, "SIZE", 3000)
    LocalRecord.objects.filter(partition__number=0).update(value=b'"%s"' % (b"x" * 998))
    positions, found = looked(shard, "70", before=5, after=5)
    assert positions == [70, 71, 72]
    assert "as many bytes as one look brings" in found.notes[0]


def test_what_a_place_can_not_be_is_refused(shard):
    for text in ("x", "", "1@70", "parcels/0@3", "2026-11-01T00:00:00"):
        with pytest.raises(InvalidPosition):
            looked(shard, text)
    with pytest.raises(InvalidPosition, match="isn't there any more"):
        looked(Shard("orders", "0", "another"), "70")
    with pytest.raises(UnknownSubscription):
        peek.look("nobody", shard, "70")


def test_a_look_makes_no_stream():
    with pytest.raises(InvalidPosition):
        looked(Shard("orders", "0"), "70")
    assert LocalBroker("local", {}).shards(LocalBroker("local", {}).whole("orders")) == []
