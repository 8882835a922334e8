"""The review of a shard that holds records: what was handled behind the held one comes again too."""

import pytest

from streamapp.positions import At, Earliest, Latest
from streamapp.services import rewind
from streamapp.services.plans import Flag, Plan
from tests.admin.scenes import SETTINGS, hold, log, started

pytestmark = pytest.mark.django_db


@pytest.fixture
def holding(settings):
    settings.STREAMAPP = SETTINGS
    first, *_ = started("ledger.spend", dict.fromkeys(log(first=0, end=90), 70))
    hold(first, 70)
    hold(first, 75)
    return first


def line_of(position):
    return rewind.plan_mounted("ledger.spend", position).lines[0]


def test_going_to_the_held_record_itself_never_looks_like_nothing(holding):
    line = line_of(At("0", 70))
    assert (line.held, line.effect("local")) == (2, "all from 70 on read again")
    assert Flag.HOLDING in line.flags and Flag.UNCHANGED not in line.flags


def test_going_back_says_that_it_does_not_end_at_the_held_record(holding):
    line = line_of(Earliest())
    assert (line.between, line.effect("local")) == (-70, "all from 0 on read again")


def test_going_past_the_held_record_skips_some_and_reads_the_rest_again(holding):
    line = line_of(At("0", 72))
    assert line.effect("local") == "at most 2 records skipped, all from 72 on read again"


def test_going_to_the_end_reads_nothing_again(holding):
    line = line_of(Latest())
    assert (line.effect("local"), Flag.HOLDING in line.flags) == ("at most 20 records skipped", False)


def test_a_shard_without_held_records_is_counted_as_before(holding):
    other = rewind.plan_mounted("ledger.spend", Earliest()).lines[1]
    assert (other.held, other.effect("local"), Flag.HOLDING in other.flags) == (
        0,
        "70 records read again",
        False,
    )


def test_the_summary_says_on_how_many_shards_the_count_is_a_minimum(holding):
    plan = rewind.plan_mounted("ledger.spend", Earliest())
    assert plan.effect == (
        "210 records read again, 0 records skipped. 1 shard holds records: what was handled behind them "
        "comes again too, so the count there is a minimum."
    )
    assert "1 shard: holds records: all from the new position on comes again" in plan.notes


def test_a_plan_keeps_the_count_on_its_way_through_the_browser(holding):
    plan = rewind.plan_mounted("ledger.spend", At("0", 70))
    assert Plan.unsign(plan.sign()) == plan
    assert plan.to_json()["lines"][0]["held"] == 2
