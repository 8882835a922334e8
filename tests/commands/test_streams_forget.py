"""`manage.py streams forget`: what a subscription stored goes, unless somebody runs it."""

import pytest

from streamapp.models import Checkpoint, DeadLetter, DelayedRecord, Quarantined, Rewind, Subscription
from streamapp.positions import Earliest
from streamapp.records import Record
from streamapp.services import rewind
from tests.admin.scenes import STORE, fail, hold, log, position_of, started, worker


@pytest.fixture
def rows(streams):
    shards = log(first=0, end=9)
    rows = started("ledger.spend", dict.fromkeys(shards, 7))
    rewind.apply(rewind.plan_mounted("ledger.spend", Earliest()), origin="test")
    STORE.records.quarantine("ledger.spend", Record(shards[0], 4, b"{"), "cut")
    fail("ledger.spend", Record(shards[0], 5, b"{}"))
    hold(rows[0], 7)
    return rows


def test_everything_of_the_subscription_goes_and_is_named(streams, rows):
    said = streams("forget", "ledger.spend", "--execute")
    assert (said.code, said.text.splitlines()[0]) == (
        0,
        "Deleted ledger.spend: 3 checkpoints, 1 rewind, 1 quarantined record, 1 delayed record, "
        "1 dead letter.",
    )
    models = (Subscription, Checkpoint, Rewind, Quarantined, DelayedRecord, DeadLetter)
    assert [model.objects.count() for model in models] == [0] * 6


def test_other_subscriptions_stay(streams, rows):
    [other] = started("shipping.ship", dict.fromkeys(log("parcels", 1, first=0, end=9), 5))
    streams("forget", "ledger.spend", "--execute")
    assert position_of(other) == 5


def test_a_dry_run_changes_nothing(streams, rows):
    assert "Would delete ledger.spend: 3 checkpoints" in streams("forget", "ledger.spend", "--dry-run").text
    assert Checkpoint.objects.count() == 3


def test_a_mounted_name_is_told_that_it_starts_afresh(streams, rows):
    assert "its next start is a first start" in streams("forget", "ledger.spend", "--dry-run").text
    Subscription.objects.update(name="ledger.before")
    assert "first start" not in streams("forget", "ledger.before", "--dry-run").text


def test_a_name_that_a_live_worker_runs_is_refused_until_it_has_left(streams, rows):
    identity = worker(rows)
    said = streams("forget", "ledger.spend", "--execute")
    assert (said.code, "1 live worker still runs ledger.spend" in said.error) == (1, True)
    assert Checkpoint.objects.count() == 3
    STORE.workers.depart(identity)
    assert streams("forget", "ledger.spend", "--execute").code == 0


def test_an_unknown_name_is_refused(streams, rows):
    said = streams("forget", "ledger.spent", "--execute")
    assert (said.code, "ledger.spent" in said.error) == (1, True)


def test_a_subscription_started_under_its_new_name_by_mistake_gets_its_checkpoints_back(streams, rows):
    Subscription.objects.update(name="ledger.before")
    started("ledger.spend", dict.fromkeys([row.key for row in rows], 9))
    refused = streams("rename", "ledger.before", "ledger.spend", "--execute")
    assert "streams forget ledger.spend --execute" in refused.error
    assert "streams forget" in streams("status", "ledger.before").text
    assert streams("forget", "ledger.spend", "--execute").code == 0
    assert streams("rename", "ledger.before", "ledger.spend", "--execute").code == 0
    assert {position_of(row) for row in rows} == {0}
