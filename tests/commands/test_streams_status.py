"""`manage.py streams status`: where everything stands, also when something is down."""

import json
from datetime import datetime, timedelta

import pytest

from streamapp.brokers.local import LocalBroker
from streamapp.exceptions import BrokerUnavailable
from streamapp.models import Checkpoint, Subscription, Worker
from streamapp.models.worker import WorkerState
from streamapp.records import Record, Shard
from tests.admin.scenes import SETTINGS, STORE, fail, hold, log, started, worker


class DownBroker(LocalBroker):
    """A broker that doesn't answer."""

    def shards(self, source):
        raise BrokerUnavailable("Kafka at 10.0.0.1:9092 didn't answer within 3 s.")


@pytest.fixture
def rows(streams):
    return started("ledger.spend", dict.fromkeys(log(first=40, end=90), 70))


def _shards(said):
    [subscription] = json.loads(said.text)
    return subscription["shards"]


def test_each_shard_shows_owner_position_epoch_lag_held_records_and_age(streams, rows):
    identity = worker(rows[:1])
    hold(rows[0], 70)
    hold(rows[0], 72)
    owned, free, _ = _shards(streams("status", "ledger.spend", "--json"))
    assert (owned["shard"], owned["position"], owned["epoch"]) == ("orders/0", 70, 1)
    assert (owned["lag_records"], owned["lag_seconds"], owned["held"]) == (20, None, 2)
    assert (owned["owner"], owned["worker_state"]) == (str(Worker.objects.get(pk=identity)), "alive")
    assert (free["owner"], free["worker_state"]) == (None, "nobody")
    assert 0 <= owned["age_seconds"] < 60
    assert datetime.fromisoformat(owned["saved_at"]).tzinfo is not None


def test_a_held_record_is_shown_with_its_position_and_reason(streams, rows):
    hold(rows[0], 72, "a later one")
    hold(rows[0], 70, "unknown carrier")
    holding, other, _ = _shards(streams("status", "ledger.spend", "--json"))
    assert (holding["held_first"], holding["held_reason"]) == (70, "unknown carrier")
    assert (other["held_first"], other["held_reason"]) == (None, "")
    assert "orders/0 waits for its held record 70: unknown carrier" in streams("status").text


def test_the_quarantined_records_of_a_subscription_are_counted(streams, rows):
    assert "quarantine" not in streams("status").text
    STORE.records.quarantine("ledger.spend", Record(Shard("orders", "0"), 4, b"{"), "cut")
    [subscription] = json.loads(streams("status", "ledger.spend", "--json").text)
    assert subscription["quarantined"] == 1
    assert "1 record in quarantine: `streams quarantine list`" in streams("status").text


def test_the_dead_letters_of_a_subscription_are_counted(streams, rows):
    assert "dead letter" not in streams("status").text
    fail("ledger.spend", Record(Shard("orders", "0"), 4, b"{}"))
    [subscription] = json.loads(streams("status", "ledger.spend", "--json").text)
    assert subscription["dead_letters"] == 1
    assert "1 dead letter: `streams deadletters list`" in streams("status").text


def test_the_age_is_headed_by_what_it_says(streams, rows):
    assert streams("status", "ledger.spend").text.splitlines()[1].endswith("moved")


def test_the_lag_counts_kept_records_only(streams, rows):
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=10)
    assert _shards(streams("status", "ledger.spend", "--json"))[0]["lag_records"] == 50


def test_the_table_names_units_and_ages(streams, rows):
    said = streams("status", "ledger.spend")
    heading, columns, first, *_ = said.text.splitlines()
    assert heading == "ledger.spend  local: orders"
    assert columns.split("  ")[1:2] == ["shard"] and "lag (records)" in columns
    assert first.split()[:9] == ["orders/0", "-", "nobody", "70", "0", "20", "?", "-", "0"]
    assert first.endswith("s ago")


def test_a_worker_past_its_time_to_live_is_silent_and_a_buried_one_dead(streams, rows):
    identity = worker(rows)
    Worker.objects.update(ttl=timedelta())
    assert _shards(streams("status", "ledger.spend", "--json"))[0]["worker_state"] == "silent"
    Worker.objects.filter(pk=identity).update(state=WorkerState.DEAD)
    assert _shards(streams("status", "ledger.spend", "--json"))[0]["worker_state"] == "dead"


def test_a_broker_that_is_down_leaves_the_lag_open_and_says_so(streams, rows, settings):
    backend = {"BACKEND": f"{__name__}.DownBroker"}
    settings.STREAMAPP = {**SETTINGS, "BROKERS": {"local": backend}}
    said = streams("status", "ledger.spend", "--json")
    assert said.code == 0
    assert [shard["lag_records"] for shard in _shards(said)] == [None, None, None]
    assert "10.0.0.1:9092" in streams("status").text


def test_checkpoints_that_no_mount_owns_are_shown_as_such(streams, rows):
    Subscription.objects.update(name="ledger.before")
    said = streams("status")
    assert "ledger.before  local: orders  NOT MOUNTED" in said.text
    assert "streams rename" in said.text


def test_shards_of_a_deleted_stream_are_told_from_the_present_ones(streams, rows):
    started("ledger.spend", {Shard("orders", "0", "an earlier incarnation"): 5})
    assert "orders/0 (gone)" in streams("status", "ledger.spend").text
    assert "1 checkpoint of shards that no longer exist" in streams("status").text


def test_a_mounted_subscription_that_never_ran_says_what_to_do(streams):
    assert "run it once" in streams("status", "shipping.ship").text


def test_an_unknown_name_is_an_error_with_the_names_there_are(streams, rows):
    said = streams("status", "ledger.spent")
    assert (said.code, "ledger.spend, shipping.ship" in said.error) == (1, True)


def test_nothing_mounted_says_what_to_do(streams, settings):
    settings.STREAMAPP = {"BROKERS": SETTINGS["BROKERS"], "SUBSCRIPTIONS": {}}
    assert "Add one to STREAMAPP" in streams("status").text


def test_the_number_of_queries_does_not_grow_with_the_shards(streams, django_assert_num_queries):
    for number in (3, 300):
        rows = started("ledger.spend", dict.fromkeys(log(partitions=number, first=0, end=1), 0))
        worker(rows)
        with django_assert_num_queries(9):
            streams("status", "ledger.spend")
        Subscription.objects.all().delete()
        LocalBroker("local", {}).delete_stream("orders")
