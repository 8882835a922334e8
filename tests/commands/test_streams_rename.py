"""`manage.py streams rename`: checkpoints follow the name, unless somebody uses either."""

import pytest

from streamapp.models import Checkpoint, DeadLetter, DelayedRecord, Quarantined, Subscription
from streamapp.records import Record
from tests.admin.scenes import STORE, fail, log, started, worker


@pytest.fixture
def rows(streams):
    shards = log(first=0, end=9)
    STORE.records.quarantine("ledger.spend", Record(shards[0], 4, b"{"), "cut")
    fail("ledger.spend", Record(shards[0], 5, b"{}"))
    return started("ledger.spend", dict.fromkeys(shards, 7))


def test_checkpoints_and_records_set_aside_go_with_the_name(streams, rows):
    said = streams("rename", "ledger.spend", "ledger.outlay", "--execute")
    assert said.code == 0
    assert Checkpoint.objects.filter(subscription__name="ledger.outlay", position=7).count() == 3
    for model in (Quarantined, DelayedRecord, DeadLetter):
        assert model.objects.get().subscription == "ledger.outlay"
    assert "Renamed ledger.spend to ledger.outlay: 3 checkpoints, 1 quarantined record" in said.text
    assert "1 delayed record, 1 dead letter." in said.text


def test_a_dry_run_changes_nothing(streams, rows):
    assert "Would rename" in streams("rename", "ledger.spend", "ledger.outlay", "--dry-run").text
    assert Subscription.objects.get().name == "ledger.spend"


def test_a_new_name_that_the_settings_lack_is_pointed_out(streams, rows):
    assert "no ledger.outlay yet" in streams("rename", "ledger.spend", "ledger.outlay", "--dry-run").text
    assert "no shipping.ship" not in streams("rename", "ledger.spend", "shipping.ship", "--dry-run").text


def test_a_name_that_exists_is_refused(streams, rows):
    Subscription.objects.create(name="shipping.ship", broker="local", streams="parcels")
    said = streams("rename", "ledger.spend", "shipping.ship", "--execute")
    assert (said.code, "exists already" in said.error) == (1, True)


def test_an_unknown_name_is_refused(streams, rows):
    said = streams("rename", "ledger.spent", "ledger.outlay", "--execute")
    assert (said.code, "ledger.spent" in said.error) == (1, True)


def test_a_name_that_a_live_worker_runs_is_refused_until_it_has_left(streams, rows):
    identity = worker(rows)
    said = streams("rename", "ledger.spend", "ledger.outlay", "--execute")
    assert (said.code, "1 live worker" in said.error) == (1, True)
    STORE.workers.depart(identity)
    assert streams("rename", "ledger.spend", "ledger.outlay", "--execute").code == 0
