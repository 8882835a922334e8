"""A plan says per shard where it stands and where it would stand, as the numbers that are then stored."""

from datetime import timedelta

import pytest

from streamapp import positions
from streamapp.exceptions import InvalidPosition, StalePlan, UnknownSubscription
from streamapp.models import Checkpoint
from streamapp.positions import Ago, At, Earliest, Latest, Moment
from streamapp.records import Shard
from streamapp.services import rewind
from streamapp.services.plans import Flag, Plan
from streamapp.services.scope import shards_named
from tests.admin.scenes import DAWN, SETTINGS, log, position_of, started, worker

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mounted(settings):
    settings.STREAMAPP = SETTINGS


@pytest.fixture
def shards():
    return log(first=40, end=90)


EVERY_KIND = [
    (Earliest(), [40, 40, 40]),
    (Latest(), [90, 90, 90]),
    (Moment.of(DAWN + timedelta(days=300)), [90, 90, 90]),
    (Moment.of(DAWN), [40, 40, 40]),
    (At("1", 55), [70, 55, 70]),
    (At("1", 55, "orders"), [70, 55, 70]),
    (At("1", 7), [70, 40, 70]),
    (At("1", 4000), [70, 90, 70]),
    (Ago(0), [90, 90, 90]),
    (Ago(86400 * 36500), [40, 40, 40]),
]


@pytest.mark.parametrize("position, expected", EVERY_KIND, ids=lambda value: str(value))
def test_what_is_previewed_is_what_is_stored_for_every_kind_of_position(shards, position, expected):
    rows = started("ledger.spend", dict.fromkeys(shards, 70))
    plan = rewind.plan_mounted("ledger.spend", position)
    rewind.apply(plan, origin="test")
    assert {line.checkpoint: line.new for line in plan.lines}.items() <= {
        row.pk: position_of(row) for row in rows
    }.items()
    assert [position_of(row) for row in rows] == expected


def test_a_moment_between_records_is_the_first_record_after_it(shards):
    started("ledger.spend", dict.fromkeys(shards, 70))
    recorded = DAWN + timedelta(minutes=60, seconds=-30)
    plan = rewind.plan_mounted("ledger.spend", Moment.of(recorded))
    assert [line.new for line in plan.lines] == [60, 60, 60]


def test_a_number_outside_of_the_log_is_moved_to_its_end_and_flagged(shards):
    started("ledger.spend", dict.fromkeys(shards, 70))
    [low] = rewind.plan_mounted("ledger.spend", At("0", 3)).lines
    [high] = rewind.plan_mounted("ledger.spend", At("0", 91)).lines
    assert (low.new, Flag.BEYOND_RETENTION in low.flags) == (40, True)
    assert (high.new, Flag.BEYOND_END in high.flags) == (90, True)


def test_the_records_between_are_counted_with_their_direction(shards):
    started("ledger.spend", dict.fromkeys(shards, 70))
    back, forth = (
        rewind.plan_mounted("ledger.spend", position).lines[0] for position in (Earliest(), Latest())
    )
    assert (back.between, back.effect("local")) == (-30, "30 records read again")
    assert (forth.between, forth.effect("local")) == (20, "20 records skipped")


def test_records_that_retention_deleted_are_not_counted_as_skipped(shards):
    started("ledger.spend", dict.fromkeys(shards, 10))
    line = rewind.plan_mounted("ledger.spend", At("0", 50)).lines[0]
    assert (line.old, line.new, line.between) == (10, 50, 10)


def test_a_shard_that_no_live_worker_reads_is_flagged(shards):
    rows = started("ledger.spend", dict.fromkeys(shards, 70))
    worker(rows[:1])
    plan = rewind.plan_mounted("ledger.spend", Earliest())
    assert [Flag.UNREAD in line.flags for line in plan.lines] == [False, True, True]


def test_a_shard_that_stands_there_already_is_flagged(shards):
    started("ledger.spend", {shards[0]: 40, shards[1]: 41})
    plan = rewind.plan_mounted("ledger.spend", Earliest())
    assert [Flag.UNCHANGED in line.flags for line in plan.lines] == [True, False]


def test_shards_that_the_position_does_not_name_stay_and_are_counted(shards):
    started("ledger.spend", dict.fromkeys(shards, 70))
    plan = rewind.plan_mounted("ledger.spend", At("2", 50))
    assert ([line.shard for line in plan.lines], plan.staying) == (["orders/2"], 2)


def test_the_checkpoints_of_a_deleted_stream_are_left_alone(shards):
    [old, *_] = started("ledger.spend", {Shard("orders", "0", "an earlier incarnation"): 12, shards[0]: 70})
    plan = rewind.plan_mounted("ledger.spend", Earliest())
    rewind.apply(plan, origin="test")
    assert (len(plan.lines), position_of(old)) == (1, 12)


def test_a_position_of_a_shard_that_is_not_chosen_is_refused_with_its_name(shards):
    started("ledger.spend", dict.fromkeys(shards, 70))
    with pytest.raises(InvalidPosition, match="1@50"):
        rewind.plan_mounted("ledger.spend", At("1", 50), shards[:1])


def test_a_chosen_shard_without_a_checkpoint_is_refused_with_its_name(shards):
    started("ledger.spend", {shards[0]: 70})
    with pytest.raises(InvalidPosition, match="no checkpoint for orders/2"):
        rewind.plan_mounted("ledger.spend", Earliest(), [shards[0], shards[2]])


def test_a_subscription_that_never_ran_has_nothing_to_rewind(shards):
    with pytest.raises(InvalidPosition, match="no checkpoint yet"):
        rewind.plan_mounted("ledger.spend", Earliest())


def test_an_unknown_subscription_is_refused_with_its_name():
    with pytest.raises(UnknownSubscription, match=r"ledger\.spent"):
        rewind.plan_mounted("ledger.spent", Earliest())


def test_planning_changes_nothing(shards):
    [row, *_] = started("ledger.spend", dict.fromkeys(shards, 70))
    rewind.plan_mounted("ledger.spend", Earliest())
    row.refresh_from_db()
    assert (row.position, row.epoch, row.revision) == (70, 0, 0)


def test_a_shard_is_named_with_or_without_its_stream(shards):
    assert shards_named("ledger.spend", ["orders/1", "2"]) == [shards[1], shards[2]]
    with pytest.raises(InvalidPosition, match="no shard 9"):
        shards_named("ledger.spend", ["9"])


def test_a_signed_plan_comes_back_as_it_was_and_not_changed(shards):
    started("ledger.spend", dict.fromkeys(shards, 70))
    plan = rewind.plan_mounted("ledger.spend", At("1", 2))
    assert Plan.unsign(plan.sign()) == plan
    with pytest.raises(StalePlan, match="changed or cut"):
        Plan.unsign(plan.sign()[:-1] + "x")


def test_a_signed_plan_is_refused_when_it_is_too_old(shards, monkeypatch):
    started("ledger.spend", dict.fromkeys(shards, 70))
    signed = rewind.plan_mounted("ledger.spend", Earliest()).sign()
    monkeypatch.setattr("streamapp.services.plans.KEPT_SECONDS", -1)
    with pytest.raises(StalePlan, match="The review is older than"):
        Plan.unsign(signed)


def test_the_command_of_a_plan_names_its_shards_unless_it_is_all(shards):
    started("ledger.spend", dict.fromkeys(shards, 70))
    some = rewind.plan_mounted("ledger.spend", positions.parse("-7d"), shards[:1])
    assert some.command("too low") == (
        "python manage.py streams rewind ledger.spend -7d --shard orders/0 --reason 'too low' --execute"
    )
    assert "--shard" not in rewind.plan_mounted("ledger.spend", Earliest()).command()


@pytest.mark.alone
@pytest.mark.timeout(180)
def test_ten_thousand_shards_are_planned_and_applied_in_a_few_statements(django_assert_max_num_queries):
    many = log(partitions=10_000, first=0, end=1)
    started("ledger.spend", dict.fromkeys(many, 1))
    with django_assert_max_num_queries(120):
        plan = rewind.plan_mounted("ledger.spend", Earliest())
        rewind.apply(Plan.unsign(plan.sign()), origin="test")
    assert Checkpoint.objects.filter(position=0, epoch=1, revision=1).count() == 10_000
