"""`manage.py streams … try`: a dry run for a terminal, whose exit code tells what came of it."""

import json
import threading

import pytest
from django.db import connections

from streamapp.models import AuditEntry, DeadLetter, DelayedRecord, DryRun
from streamapp.records import Record
from streamapp.store.dry_runs import DryOutcome, DryResult
from streamapp.store.failed import Failure
from streamapp.unsent import Unsent
from tests.admin.scenes import SETTINGS, STORE, fail, hold, log, started, worker
from tests.contract.moving.logs import wait_for

pytestmark = pytest.mark.django_db(transaction=True)
ACKED = DryResult(
    DryOutcome.ACK, milliseconds=3.21, moves=["seek earliest"], unsent=[Unsent("out", b"x", None, {})]
)
FAILED = DryResult(
    DryOutcome.FAILED, "ValueError('no')", Failure("", "ValueError", "no", "Traceback\n line 7"), 1.0
)


@pytest.fixture
def rows(streams, settings):
    mounts = SETTINGS["SUBSCRIPTIONS"]
    spend = {**mounts["ledger.spend"], "DRY_RUN": True}
    settings.STREAMAPP = {**SETTINGS, "SUBSCRIPTIONS": {**mounts, "ledger.spend": spend}}
    return started("ledger.spend", dict.fromkeys(log(first=40, end=90), 70))


@pytest.fixture
def letter(rows):
    fail("ledger.spend", Record(rows[0].key, 71, b"{}"))
    DelayedRecord.objects.all().delete()
    return DeadLetter.objects.get()


def answering(result):
    """A worker that gives a result as soon as there is an order."""

    def answer():
        try:
            identity = worker([])
            wait_for(DryRun.objects.exists, lambda: "no order")
            ordered = STORE.dry_runs.claim("ledger.spend", identity, 30.0)
            assert STORE.dry_runs.finish(ordered, result)
        finally:
            connections.close_all()

    thread = threading.Thread(target=answer)
    thread.start()
    return thread


@pytest.mark.parametrize(("result", "code"), [(ACKED, 0), (FAILED, 1)])
def test_the_result_is_waited_for_and_told(streams, letter, result, code):
    thread = answering(result)
    said = streams("deadletters", "try", letter.pk, "--reason", "is it mended?")
    thread.join()
    assert said.code == code
    assert "orders/0@71: " in said.text
    expected = ["ack, 3.2 ms", "would move: seek earliest", "would publish to out, 1 byte\n"]
    for part in expected if code == 0 else ["the handler raised, 1.0 ms: ValueError('no')", "line 7"]:
        assert part in said.text
    assert (AuditEntry.objects.get().action, DryRun.objects.get().reason) == ("dry run", "is it mended?")
    assert DeadLetter.objects.exists()


def test_of_many_published_records_it_says_how_many_more_there_are(streams, letter):
    thread = answering(DryResult(DryOutcome.ACK, unsent=[Unsent("out", b"x", None, {})] * 23))
    said = streams("deadletters", "try", letter.pk)
    thread.join()
    assert said.text.count("would publish to out") == 20
    assert "would publish 3 records more" in said.text


def test_without_a_worker_the_exit_code_is_3_and_the_order_stays(streams, letter):
    said = streams("deadletters", "try", letter.pk, "--wait", "0", "--json")
    (run,) = json.loads(said.text)["runs"]
    assert (said.code, run["state"], run["record"]) == (3, "requested", "orders/0@71")
    assert DryRun.objects.get().ended_at is None


def test_a_held_record_is_named_by_its_place(streams, rows):
    hold(rows[0], 74)
    thread = answering(ACKED)
    said = streams("try", "ledger.spend", "orders/0@74", "--json")
    thread.join()
    (run,) = json.loads(said.text)["runs"]
    assert (said.code, run["outcome"], run["record"]) == (0, "ack", "orders/0@74")
    said = streams("try", "ledger.spend", "orders/0@75")
    assert (said.code, "isn't held" in said.error) == (1, True)


def test_where_it_is_not_allowed_nothing_is_ordered(streams, letter, settings):
    settings.STREAMAPP = SETTINGS
    said = streams("deadletters", "try", letter.pk)
    assert (said.code, "DRY_RUN = True" in said.error) == (1, True)
    assert not DryRun.objects.exists()
