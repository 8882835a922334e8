"""The chronicle: what is written when, and what never happens because of it."""

from types import SimpleNamespace
from uuid import UUID

import pytest
from django.db import DatabaseError

from streamapp.engine.chronicle import HISTORY_SECONDS, TOTALS_SECONDS, Chronicle
from streamapp.observability.metrics import RECORDS_HANDLED
from streamapp.observability.tally import Tally

WORKER = UUID(int=7)


class Past:
    """Notes what it was told to write."""

    def __init__(self):
        self.added, self.remembered, self.pruned = [], [], []
        self.failure = None

    def add_up(self, handled):
        if self.failure:
            raise self.failure
        self.added.append(dict(handled))

    def remember(self, worker):
        self.remembered.append(worker)

    def prune(self, days):
        self.pruned.append(days)


@pytest.fixture
def stage():
    tally, past = Tally(), Past()
    states = {"orders/0": object()}
    lane = SimpleNamespace(
        mount=SimpleNamespace(name="ledger.spend"),
        watch=SimpleNamespace(tally=tally),
        holdings=SimpleNamespace(states=states),
    )
    heartbeat = SimpleNamespace(identity=WORKER)
    stage = SimpleNamespace(states=states, tally=tally, past=past, heartbeat=heartbeat, now=100.0)
    store = SimpleNamespace(history=past)
    stage.chronicle = Chronicle([lane], heartbeat, store, 14.0, lambda: stage.now)
    return stage


def test_the_first_look_writes_all_and_the_next_only_what_is_due(stage):
    stage.tally.add(RECORDS_HANDLED, 5)
    assert stage.chronicle.run_once()
    assert stage.chronicle.run_once()
    assert (stage.past.added, stage.past.remembered, stage.past.pruned) == (
        [{"ledger.spend": 5}],
        [WORKER],
        [14.0],
    )
    stage.now += TOTALS_SECONDS
    stage.tally.add(RECORDS_HANDLED, 2)
    stage.chronicle.run_once()
    assert stage.past.added[1:] == [{"ledger.spend": 2}] and len(stage.past.remembered) == 1
    stage.now += HISTORY_SECONDS
    stage.chronicle.run_once()
    assert len(stage.past.remembered) == 2


def test_what_was_handled_in_an_outage_is_added_after_it(stage, caplog):
    stage.past.failure = DatabaseError("gone")
    stage.tally.add(RECORDS_HANDLED, 5)
    assert stage.chronicle.run_once() is False
    assert "History not written" in caplog.text
    stage.past.failure = None
    stage.tally.add(RECORDS_HANDLED, 1)
    assert stage.chronicle.run_once()
    assert stage.past.added == [{"ledger.spend": 6}]


def test_a_worker_without_an_identity_notes_no_checkpoints(stage):
    stage.heartbeat.identity = None
    assert stage.chronicle.run_once()
    assert stage.past.remembered == []


def test_the_first_notes_are_written_as_soon_as_there_are_shards_and_not_a_minute_later(stage):
    held = stage.states.popitem()
    stage.chronicle.run_once()
    assert stage.past.remembered == []
    stage.states.update([held])
    stage.chronicle.run_once()
    assert stage.past.remembered == [WORKER]
