"""Applying a rewind: all or nothing, fenced, audited, and only what was reviewed."""

import threading

import pytest
from django.db import connection, transaction

from streamapp.exceptions import StalePlan
from streamapp.models import HeldRecord, Rewind, RewoundShard
from streamapp.positions import At, Earliest, Latest
from streamapp.services import rewind
from streamapp.services.progress import Arrival, arrival, rewound_shards
from streamapp.store.checkpoints import Place, Save
from tests.admin.scenes import SETTINGS, STORE, hold, log, position_of, started, worker

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def mounted(settings):
    settings.STREAMAPP = SETTINGS


@pytest.fixture
def rows(mounted):
    return started("ledger.spend", dict.fromkeys(log(first=0, end=90), 70))


def test_epoch_and_revision_rise_by_one_with_the_position(rows):
    rewind.apply(rewind.plan_mounted("ledger.spend", At("1", 10)), origin="test")
    for row in rows:
        row.refresh_from_db()
    assert [(row.position, row.epoch, row.revision) for row in rows] == [(70, 0, 0), (10, 1, 1), (70, 0, 0)]


def test_the_trail_says_who_why_and_from_where_to_where(rows, admin_user):
    plan = rewind.plan_mounted("ledger.spend", At("1", 10))
    row = rewind.apply(plan, user=admin_user, origin="admin", reason="a wrong rate")
    assert (row.target, row.user, row.origin, row.reason) == ("1@10", admin_user, "admin", "a wrong rate")
    assert row.requested_at.tzinfo is not None
    [shard] = row.shards.all()
    assert (shard.old_position, shard.new_position, shard.epoch, shard.applied_at) == (70, 10, 1, None)


def test_the_old_position_is_the_one_found_when_applying(rows):
    plan = rewind.plan_mounted("ledger.spend", At("1", 10))
    STORE.checkpoints.save([Save(rows[1].pk, epoch=0, place=Place(75), first=False)])
    [shard] = rewind.apply(plan, origin="test").shards.all()
    assert (shard.old_position, position_of(rows[1])) == (75, 10)


def test_a_save_of_the_epoch_before_never_brings_the_old_position_back(rows):
    rewind.apply(rewind.plan_mounted("ledger.spend", At("1", 10)), origin="test")
    assert STORE.checkpoints.save([Save(rows[1].pk, epoch=0, place=Place(80), first=True)]) == set()
    assert position_of(rows[1]) == 10


def test_after_a_rewind_progress_is_saved_from_the_new_position_on(rows):
    rewind.apply(rewind.plan_mounted("ledger.spend", At("1", 10)), origin="test")
    assert STORE.checkpoints.save([Save(rows[1].pk, epoch=1, place=Place(21), first=False)]) == {rows[1].pk}
    assert position_of(rows[1]) == 21


def test_a_plan_is_refused_when_another_rewind_came_first_and_nothing_is_written(rows):
    early, late = (rewind.plan_mounted("ledger.spend", position) for position in (Earliest(), At("1", 10)))
    rewind.apply(late, origin="test")
    with pytest.raises(StalePlan, match="Since the review orders/1 was moved to 10 by rewind"):
        rewind.apply(early, origin="test")
    assert [position_of(row) for row in rows] == [70, 10, 70]
    assert (Rewind.objects.count(), RewoundShard.objects.count()) == (1, 1)


def test_the_same_plan_is_applied_once(rows):
    plan = rewind.plan_mounted("ledger.spend", Earliest())
    rewind.apply(plan, origin="test")
    with pytest.raises(StalePlan):
        rewind.apply(plan, origin="test")


def test_a_plan_is_refused_when_a_checkpoint_is_gone(rows):
    plan = rewind.plan_mounted("ledger.spend", Earliest())
    rows[2].delete()
    with pytest.raises(StalePlan, match="checkpoint of orders/2 is gone"):
        rewind.apply(plan, origin="test")
    assert position_of(rows[0]) == 70


def test_ordinary_progress_makes_no_plan_stale(rows):
    plan = rewind.plan_mounted("ledger.spend", Earliest())
    STORE.checkpoints.save([Save(row.pk, epoch=0, place=Place(75), first=False) for row in rows])
    rewind.apply(plan, origin="test")
    assert [position_of(row) for row in rows] == [0, 0, 0]


def test_a_rewind_in_a_transaction_that_is_rolled_back_never_happened(rows):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        rewind.apply(rewind.plan_mounted("ledger.spend", Earliest()), origin="handler")
        raise ZeroDivisionError
    assert (position_of(rows[0]), Rewind.objects.count()) == (70, 0)


def test_a_rewind_takes_back_by_another_rewind(rows):
    plan = rewind.plan_mounted("ledger.spend", At("1", 10))
    rewind.apply(plan, origin="test")
    rewind.apply(rewind.plan_mounted("ledger.spend", At("1", 70)), origin="test")
    assert position_of(rows[1]) == 70


def test_held_records_of_rewound_shards_are_not_shown_any_more(rows):
    hold(rows[0], 70)
    hold(rows[1], 71)
    rewind.apply(rewind.plan_mounted("ledger.spend", At("1", 10)), origin="test")
    assert list(HeldRecord.objects.values_list("checkpoint", flat=True)) == [rows[0].pk]


def test_the_progress_tells_applied_waiting_unread_and_superseded_shards(rows):
    identity = worker(rows[:2])
    first = rewind.apply(rewind.plan_mounted("ledger.spend", Earliest()), origin="test")
    assert [arrival(row) for row in _by_shard(first)] == [Arrival.WAITING, Arrival.WAITING, Arrival.UNREAD]
    STORE.checkpoints.stamp_rewinds(identity, {rows[0].pk: 2})
    rewind.apply(rewind.plan_mounted("ledger.spend", At("1", 9)), origin="test")
    assert [arrival(row) for row in _by_shard(first)] == [Arrival.APPLIED, Arrival.SUPERSEDED, Arrival.UNREAD]
    progress = rewind.progress(first)
    assert (progress.total, progress.waiting, progress.done) == (3, 1, False)
    assert str(progress) == "Workers have applied 2 of 3 shards. 1 still waits."


def test_the_shards_of_later_rewinds_are_looked_for_at_once_and_not_row_by_row(rows):
    first = rewind.apply(rewind.plan_mounted("ledger.spend", Earliest()), origin="test")
    assert "EXISTS" not in str(rewound_shards(first).query).upper()
    assert [row.superseded for row in rewound_shards(first)] == [False] * 3
    rewind.apply(rewind.plan_mounted("ledger.spend", Latest()), origin="test")
    assert [row.superseded for row in rewound_shards(first)] == [True] * 3


def _by_shard(row):
    return sorted(rewound_shards(row), key=lambda shard: shard.pk)


@pytest.mark.django_db(transaction=True)
def test_of_two_operators_at_the_same_moment_one_wins_and_the_other_is_told(rows):
    plans = [rewind.plan_mounted("ledger.spend", position) for position in (Earliest(), Latest()) * 4]
    results, start = [], threading.Barrier(len(plans))

    def apply(plan):
        start.wait()
        try:
            results.append(rewind.apply(plan, origin="test"))
        except StalePlan as error:
            results.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=apply, args=[plan]) for plan in plans]
    [thread.start() for thread in threads]
    [thread.join(30) for thread in threads]
    winners = [result for result in results if isinstance(result, Rewind)]
    assert (len(results), len(winners)) == (len(plans), 1)
    expected = 0 if winners[0].target == "earliest" else 90
    assert [position_of(row) for row in rows] == [expected] * 3
