"""`manage.py streams prune`: what is kept no longer goes, in small transactions, and no record silently."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from streamapp.models import (
    AuditEntry,
    Checkpoint,
    DeadLetter,
    DelayedRecord,
    Quarantined,
    Skip,
    Worker,
)
from streamapp.records import Record
from streamapp.services import pruning
from streamapp.store.audit import Asker
from streamapp.store.pruning import TABLES
from streamapp.store.skips import Skipped
from tests.admin.scenes import STORE, fail, log, started

NOW = datetime.now(UTC)
LETTERS = TABLES[0]


def keep(settings, **tables):
    settings.STREAMAPP = {**settings.STREAMAPP, "RETENTION": tables}


def letters(shard, *ages_in_days: float) -> None:
    """Let records be dead letters, and delayed, since so many days."""
    for position, days in enumerate(ages_in_days):
        fail("ledger.spend", Record(shard, position, b"{}"))
        given_up = DeadLetter.objects.filter(position=position)
        given_up.update(created_at=NOW - timedelta(days=days))
        DelayedRecord.objects.update(created_at=NOW - timedelta(days=9999))


@pytest.fixture
def shard(streams):
    shards = log(first=0, end=9)
    started("ledger.spend", dict.fromkeys(shards, 7))
    return shards[0]


def left(model=DeadLetter) -> list[int]:
    return list(model.objects.order_by("position").values_list("position", flat=True))


def test_dead_letters_are_kept_for_a_year_unless_the_settings_say_otherwise(streams, settings, shard):
    letters(shard, 366, 364, 1)
    assert streams("prune", "--execute").code == 0
    assert left() == [1, 2]
    keep(settings, DEAD_LETTERS={"DAYS": 30})
    assert streams("prune", "--execute").text.split()[3:7] == ["dead", "letters", "ledger.spend", "1"]
    assert left() == [2]
    keep(settings, DEAD_LETTERS={"DAYS": None})
    DeadLetter.objects.update(created_at=NOW - timedelta(days=9999))
    streams("prune", "--execute")
    assert left() == [2]


def test_the_newest_of_each_subscription_are_kept(streams, settings, shard):
    letters(shard, 5, 4, 3, 2)
    fail("shipping.ship", Record(shard, 9, b"{}"))
    keep(settings, DEAD_LETTERS={"ROWS": 2})
    streams("prune", "--execute")
    assert left() == [2, 3, 9]


def test_records_that_go_are_told_in_the_log_and_in_the_audit_trail(streams, shard, caplog):
    letters(shard, 400, 400)
    streams("prune", "--execute")
    [entry] = AuditEntry.objects.filter(action="prune")
    assert (entry.subscription, entry.subject, entry.result) == ("ledger.spend", "dead letters", "2 deleted")
    [line] = [each.getMessage() for each in caplog.records if each.name == "streamapp.pruning"]
    assert line.startswith("Records deleted by retention. subscription=ledger.spend")
    assert "records=2" in line


def test_a_dry_run_tells_the_same_and_changes_nothing(streams, shard):
    letters(shard, 400, 1)
    said = streams("prune", "--dry-run", "--json")
    table = json.loads(said.text)[0]
    assert table == {"table": "DEAD_LETTERS", "rows": 1, "more": False, "subscriptions": {"ledger.spend": 1}}
    assert (left(), AuditEntry.objects.count()) == ([0, 1], 0)
    assert json.loads(streams("prune", "--execute", "--json").text)[0] == table


def test_each_transaction_deletes_no_more_than_a_chunk(streams, shard):
    letters(shard, *[400] * 5)
    with CaptureQueriesContext(connection) as queries:
        streams("prune", "--execute", "--chunk", "2")
    deletes = [q["sql"] for q in queries if q["sql"].startswith('DELETE FROM "streamapp_deadletter"')]
    assert (len(deletes), left()) == (3, [])


def test_one_run_is_bounded_and_says_that_more_is_left(streams, shard):
    letters(shard, *[400] * 3)
    done = pruning.prune(Asker("test"), chunk=1, most=2)
    assert (done[0].rows, done[0].more, len(left())) == (2, True, 1)


def test_a_letter_that_failed_again_after_it_was_looked_at_stays(shard):
    letters(shard, 400, 400)
    rows = STORE.pruning.surplus(LETTERS, pruning.retention({})["DEAD_LETTERS"], 10)
    fail("ledger.spend", Record(shard, 1, b"{}"))
    assert STORE.pruning.delete(LETTERS, rows, Asker("test")) == {"ledger.spend": 1}
    assert left() == [1]


def test_everything_that_grows_is_pruned_and_nothing_that_waits(streams, settings, shard):
    row = Checkpoint.objects.order_by("id").first()
    letters(shard, 1)
    STORE.records.quarantine("ledger.spend", Record(shard, 4, b"{"), "cut")
    STORE.skips.add(Skipped(row.pk, 1, 2, 5, 3, "earliest"))
    alive, gone = (STORE.workers.register(["ledger.spend"], 12.0) for _ in "ab")
    STORE.workers.depart(gone)
    Quarantined.objects.update(created_at=NOW - timedelta(days=366))
    Skip.objects.update(skipped_at=NOW - timedelta(days=366))
    Worker.objects.update(heartbeat_at=NOW - timedelta(days=8))
    said = streams("prune", "--execute")
    assert "Deleted 3 rows." in said.text
    assert [model.objects.count() for model in (Quarantined, Skip)] == [0, 0]
    assert [worker.pk for worker in Worker.objects.all()] == [alive]
    assert left(DelayedRecord) == [0]


@pytest.mark.parametrize("wrong", ["0", "-1", "many"])
def test_a_wrong_chunk_is_refused(streams, wrong):
    assert streams("prune", "--execute", f"--chunk={wrong}").error


def test_with_nothing_to_do_it_says_so(streams):
    said = streams("prune", "--dry-run")
    assert (said.code, said.text.strip()) == (0, "Would delete 0 rows.")
