"""The sampler: what it writes of each shard, and what never happens because of it."""

from types import SimpleNamespace
from uuid import UUID

import pytest
from django.utils import timezone

from streamapp.brokers.reading import Behind
from streamapp.engine.holdings import Holdings
from streamapp.engine.sampling import Sampler
from streamapp.engine.shard import Placed
from streamapp.models import Checkpoint, Lag
from streamapp.records import Shard
from streamapp.store import Store
from streamapp.store.checkpoints import Place
from streamapp.store.lags import Sample
from streamapp.store.leases import Taken
from tests.admin.scenes import SETTINGS, started

SHARD = Shard("orders", "0")
OTHER = Shard("orders", "1")


@pytest.fixture
def rows(settings, db):
    settings.STREAMAPP = SETTINGS
    return started("ledger.spend", {SHARD: 70, OTHER: 70})


class Chunk:
    """Ten records from a position on."""

    def __init__(self, first):
        self.first, self.end = first, first + 10

    def __len__(self):
        return 10

    def position(self, index):
        return self.first + index


def consumer(rows, lags, *, delivered=0):
    """A lane that holds both shards, reads the first from 70 on and has handled nothing."""
    holdings = Holdings(UUID(int=1))
    holdings.add({row.key: Placed(Taken(row.pk, 1, Place(70)), 70) for row in rows})
    state = holdings.states[SHARD]
    state.restart()
    for number in range(delivered):
        state.watermark.register(Chunk(70 + number * 10))
    return SimpleNamespace(holdings=holdings, reading=SimpleNamespace(lags=lambda patience: lags))


def sampled(*consumers):
    assert Sampler(consumers, Store("default")).sample_once()
    return {lag.checkpoint.key: (lag.read_to, lag.records, lag.milliseconds) for lag in Lag.objects.all()}


def test_unsettled_records_are_behind_too_however_far_reading_has_come(rows):
    lane = consumer(rows, {SHARD: Behind(5, 1200)}, delivered=2)
    assert sampled(lane) == {SHARD: (90, 25, 1200)}


def test_what_nobody_can_count_stays_unknown(rows):
    assert sampled(consumer(rows, {SHARD: Behind(None, 800)}, delivered=1)) == {SHARD: (80, None, 800)}


def test_a_shard_that_is_about_to_move_or_is_not_held_is_left_out(rows):
    elsewhere = Shard("parcels", "0")
    lags = {OTHER: Behind(5, 0), elsewhere: Behind(5, 0)}
    assert sampled(consumer(rows, lags)) == {}


def test_a_later_sample_takes_the_place_of_an_earlier_one_and_has_its_own_time(rows):
    sampled(consumer(rows, {SHARD: Behind(5, 0)}))
    Lag.objects.update(sampled_at="2000-01-01T00:00:00Z")
    assert sampled(consumer(rows, {SHARD: Behind(1, 0)})) == {SHARD: (70, 1, 0)}
    assert abs((timezone.now() - Lag.objects.get().sampled_at).total_seconds()) < 60


def test_what_a_loser_of_the_lease_wrote_last_stands_until_the_next_sample_of_the_owner(rows):
    loser, owner = consumer(rows, {SHARD: Behind(900, 0)}), consumer(rows, {SHARD: Behind(3, 0)})
    sampled(owner)
    assert sampled(loser)[SHARD][1] == 900
    loser.holdings.drop([SHARD])
    sampled(owner)
    assert sampled(loser)[SHARD][1] == 3


def test_the_checkpoint_is_not_touched(rows):
    before = Checkpoint.objects.filter(pk=rows[0].pk).values().get()
    sampled(consumer(rows, {SHARD: Behind(5, 0)}))
    assert Checkpoint.objects.filter(pk=rows[0].pk).values().get() == before


def test_a_reader_that_fails_is_reported_and_nothing_else_happens(rows, caplog):
    lane = consumer(rows, {})

    def fail(patience):
        raise RuntimeError("the client is closed")

    lane.reading.lags = fail
    assert Sampler([lane], Store("default")).sample_once() is False
    assert "Lag not sampled" in caplog.text and "the client is closed" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_a_database_that_refuses_is_reported_and_asked_again(rows, caplog):
    lane = consumer(rows, {SHARD: Behind(5, 0)})
    Checkpoint.objects.all().delete()
    sampler = Sampler([lane], Store("default"))
    assert sampler.sample_once() is False
    assert "Lag not written" in caplog.text
    lane.holdings.drop([SHARD])
    assert sampler.sample_once() is True


def test_a_thousand_shards_take_a_handful_of_statements(settings, db, django_assert_max_num_queries):
    settings.STREAMAPP = SETTINGS
    rows = started("ledger.spend", {Shard("orders", str(number)): 1 for number in range(1000)})
    with django_assert_max_num_queries(9):
        Store("default").lags.write([Sample(row.pk, 1, 1, 1) for row in rows])
    assert Lag.objects.count() == 1000
