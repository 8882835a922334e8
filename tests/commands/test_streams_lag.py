"""The lag in `streams status`: what the workers saw, when they saw it, and no guesses."""

import json

import pytest

from streamapp.models import Lag, Worker
from streamapp.models.worker import WorkerState
from tests.admin import kinesis
from tests.admin.kinesis import age, sample
from tests.admin.scenes import DAWN, log, started, worker


@pytest.fixture
def rows(streams):
    return started("ledger.spend", dict.fromkeys(log(first=40, end=90), 70))


def first(said):
    [subscription] = json.loads(said.text)
    return subscription["shards"][0]


def test_it_is_what_the_worker_saw_and_says_how_long_ago(streams, rows):
    worker(rows)
    sample(rows[0], 12, 3400)
    shard = first(streams("status", "ledger.spend", "--json"))
    assert (shard["lag_records"], shard["lag_seconds"]) == (12, 3.4)
    assert 0 <= shard["lag_age_seconds"] < 60


def test_the_broker_is_not_asked_for_shards_that_a_worker_samples(streams, rows, django_assert_num_queries):
    worker(rows)
    for row in rows:
        sample(row, 12, 3400)
    with django_assert_num_queries(8):
        assert " 12  3 s" in streams("status", "ledger.spend").text


def test_of_a_shard_that_nobody_reads_the_broker_knows_more_than_an_old_sample(streams, rows):
    identity = worker(rows)
    sample(rows[0], 12, 3400)
    Worker.objects.filter(pk=identity).update(state=WorkerState.DEAD)
    shard = first(streams("status", "ledger.spend", "--json"))
    assert (shard["lag_records"], shard["lag_seconds"], shard["lag_age_seconds"]) == (20, None, None)


def test_where_the_broker_can_not_count_the_last_sample_stands_with_its_age(streams, settings):
    settings.STREAMAPP = kinesis.SETTINGS
    row = kinesis.split()[0]
    sample(row, None, 61_000)
    age([row], DAWN)
    shard = first(streams("status", "--json"))
    assert (shard["lag_records"], shard["lag_seconds"]) == (None, 61.0)
    assert shard["lag_age_seconds"] == pytest.approx(
        (Lag.objects.get().checkpoint.saved_at - DAWN).total_seconds(), abs=60
    )
    assert "1 min 1 s" in streams("status").text
