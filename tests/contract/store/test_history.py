"""Where checkpoints stood and how subscriptions fared: what is noted, when, and for how long it is kept."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from streamapp.models import Checkpoint, History, Lag, Lease, Trend
from streamapp.positions import SHARD_END
from streamapp.records import Shard
from streamapp.store import Store, history
from streamapp.store.lags import Sample
from tests.admin.scenes import SETTINGS, started, worker

STORE = Store("default")


@pytest.fixture
def rows(settings, db):
    settings.STREAMAPP = SETTINGS
    return started("ledger.spend", {Shard("orders", str(number)): 70 for number in range(3)})


def notes(row):
    columns = ("position", "records", "milliseconds")
    return list(History.objects.filter(checkpoint=row).order_by("id").values_list(*columns))


def sample(row, records, milliseconds=0):
    STORE.lags.write([Sample(row.pk, row.position, records, milliseconds)])


def pass_time(**time):
    for note in History.objects.all():
        History.objects.filter(pk=note.pk).update(sampled_at=note.sampled_at - timedelta(**time))


def test_a_worker_notes_the_shards_that_it_holds_and_no_others(rows):
    mine = worker(rows[:2])
    sample(rows[0], 12, 900)
    STORE.history.remember(mine)
    assert [notes(row) for row in rows] == [[(70, 12, 900)], [(70, None, None)], []]


def test_a_worker_that_has_lost_its_shards_notes_nothing(rows):
    loser = worker(rows)
    worker(rows)
    STORE.history.remember(loser)
    STORE.history.remember(uuid4())
    assert not History.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda row: Checkpoint.objects.filter(pk=row.pk).update(position=71),
        lambda row: sample(row, 13, 900),
        lambda row: sample(row, None, 900),
        lambda row: sample(row, 12, 901),
    ],
    ids=["position", "records", "records unknown", "time"],
)
def test_a_shard_gets_another_note_when_its_place_or_its_lag_has_changed(rows, change):
    mine = worker(rows)
    sample(rows[0], 12, 900)
    STORE.history.remember(mine)
    pass_time(minutes=1)
    change(rows[0])
    STORE.history.remember(mine)
    assert [len(notes(row)) for row in rows] == [2, 1, 1]


def test_a_shard_that_stands_still_is_noted_once_an_hour(rows):
    mine = worker(rows)
    STORE.history.remember(mine)
    pass_time(minutes=59)
    STORE.history.remember(mine)
    assert History.objects.count() == 3
    pass_time(minutes=1)
    STORE.history.remember(mine)
    assert History.objects.count() == 6


def test_a_takeover_does_not_double_the_notes_of_a_minute(rows):
    STORE.history.remember(worker(rows))
    Checkpoint.objects.update(position=71)
    STORE.history.remember(worker(rows))
    assert History.objects.count() == 3


def test_the_notes_of_a_thousand_shards_take_one_statement(settings, db):
    settings.STREAMAPP = SETTINGS
    many = started("ledger.spend", {Shard("orders", str(number)): 1 for number in range(1000)})
    mine = worker(many)
    with CaptureQueriesContext(connection) as queries:
        STORE.history.remember(mine)
    assert (len(queries), History.objects.count()) == (1, 1000)


def test_all_workers_of_a_subscription_add_to_one_row_a_minute(rows):
    sample(rows[0], 5, 61_000)
    sample(rows[1], 7, 0)
    STORE.history.add_up({"ledger.spend": 100})
    STORE.history.add_up({"ledger.spend": 20, "nobody.knows": 3})
    found = list(Trend.objects.values_list("handled", "records", "milliseconds"))
    if len(found) == 1:
        assert found == [(120, 12, 61_000)]
    else:  # The minute has changed in between.
        assert found == [(100, 12, 61_000), (20, 12, 61_000)]


def test_a_lag_that_one_shard_does_not_know_has_no_total(rows):
    sample(rows[0], 5)
    sample(rows[1], None, 90_000)
    STORE.history.add_up({"ledger.spend": 0})
    assert Trend.objects.values_list("records", "milliseconds").get() == (None, 90_000)


def test_the_lag_of_shards_that_are_read_and_not_sampled_yet_is_not_taken_for_none(rows):
    worker(rows)
    sample(rows[0], 5, 1)
    STORE.history.add_up({"ledger.spend": 0})
    assert Trend.objects.values_list("records", "milliseconds").get() == (None, 1)


def test_finished_and_retired_shards_are_not_behind(rows):
    for row in rows:
        sample(row, 5, 1)
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=SHARD_END)
    Checkpoint.objects.filter(pk=rows[1].pk).update(retired_at=timezone.now())
    STORE.history.add_up({"ledger.spend": 0})
    assert Trend.objects.get().records == 5


def test_what_was_handled_counts_before_anything_was_sampled(rows):
    Lag.objects.all().delete()
    STORE.history.add_up({"ledger.spend": 9})
    assert Trend.objects.values_list("handled", "records").get() == (9, None)


def test_what_is_older_than_its_days_goes_and_the_rest_stays(rows):
    now = timezone.now()
    for days in (1, 13, 15, 30):
        at = now - timedelta(days=days)
        History.objects.create(checkpoint=rows[0], position=1, sampled_at=at)
        Trend.objects.create(subscription=rows[0].subscription, minute=at, handled=1)
    assert STORE.history.prune(14.0) == 4
    kept = [(now - at).days for at in History.objects.order_by("id").values_list("sampled_at", flat=True)]
    assert kept == [1, 13] and Trend.objects.count() == 2


def test_one_round_of_pruning_deletes_a_bounded_number_in_short_transactions(rows, monkeypatch):
    monkeypatch.setattr(history, "ROWS_A_DELETE", 3)
    monkeypatch.setattr(history, "DELETES_A_ROUND", 2)
    old = timezone.now() - timedelta(days=20)
    History.objects.bulk_create(History(checkpoint=rows[0], position=n, sampled_at=old) for n in range(8))
    assert (STORE.history.prune(14.0), STORE.history.prune(14.0), STORE.history.prune(14.0)) == (6, 2, 0)


def test_the_lease_decides_at_the_moment_of_the_note(rows):
    mine = worker(rows)
    Lease.objects.filter(checkpoint=rows[0]).update(worker=None)
    STORE.history.remember(mine)
    assert [len(notes(row)) for row in rows] == [0, 1, 1]
