"""What becomes of a record in its task: the outcomes, the transaction, what can't be decoded."""

import json

import pytest
from django.contrib.auth.models import Group

from streamapp.models import Checkpoint, DeadLetter, DelayedRecord, Quarantined
from tests.processes.conftest import await_true

pytestmark = [pytest.mark.live("redis"), pytest.mark.alone, pytest.mark.timeout(240)]
WRITE = "tests.celery.handlers.write"


def names() -> set[str]:
    return set(Group.objects.values_list("name", flat=True))


def test_a_failed_attempt_leaves_nothing_in_the_database(stage):
    stage = stage(HANDLER=WRITE)
    stage.consume({"id": 1, "do": "fail once"}, {"id": 2, "do": "later"}, {"id": 3, "do": "drop"})
    stage.work()
    stage.await_handled(1, 2)
    await_true(lambda: names() == {"1 at 2", "2 at 2", "3 at 1"}, "the rows")
    assert not DeadLetter.objects.exists()


def test_a_cancellation_is_a_failure_and_ends_no_process(stage):
    stage = stage(HANDLER=WRITE)
    stage.consume({"id": 1, "do": "cancel once"})
    stage.work()
    stage.await_handled(1)
    assert len({call["pid"] for call in stage.calls()}) == 1
    assert [call["attempt"] for call in stage.calls()] == [1, 2]


def test_key_and_headers_arrive(stage):
    stage = stage(HANDLER=WRITE)
    stage.consume({"id": 1, "do": "fail once"}, key="k\xff", headers={"by": b"\x00\xff"})
    stage.work()
    stage.await_handled(1)
    first, second = stage.calls()
    assert (first["headers"], first["key"]) == (["by"], str("k\xff".encode()))
    assert "by" in second["headers"]
    assert "streamapp-attempt" in second["headers"]


def test_a_coroutine_is_awaited(stage):
    stage = stage(HANDLER="tests.celery.handlers.wait")
    stage.consume({"id": 1}, {"id": 2})
    stage.work()
    stage.await_handled(1, 2)
    assert names() == {"order 1", "order 2"}


def test_what_can_not_be_decoded_is_quarantined_and_a_tombstone_is_none(stage):
    stage = stage(HANDLER="tests.celery.handlers.count")
    stage.consume(7, {"no": "number"}, None)
    stage.work()
    stage.await_handled(7, None)
    await_true(Quarantined.objects.exists, "the quarantined record")
    row = Quarantined.objects.get()
    assert (row.position, json.loads(bytes(row.value))) == (1, {"no": "number"})


def test_a_seek_is_an_error_and_a_rewind_moves_the_subscription(stage):
    stage = stage(HANDLER=WRITE)
    stage.consume({"id": 1, "do": "seek"}, {"id": 2, "do": "rewind"})
    stage.work()
    stage.await_handled(2)
    await_true(DeadLetter.objects.exists, "the dead letter of the seek")
    letter = DeadLetter.objects.get()
    assert (letter.position, letter.exception) == (0, "streamapp.exceptions.NotAssigned")
    assert "ctx.rewind" in letter.message
    assert Checkpoint.objects.get().position == 0


def test_a_held_record_that_is_redelivered_and_held_again_is_not_lost(stage):
    stage = stage()
    stage.consume({"id": 1, "do": "hold"})
    worker = stage.work()
    await_true(DelayedRecord.objects.exists, "the held record")
    for _ in "ab":
        calls = len(stage.calls())
        DelayedRecord.objects.update(due_at="2026-11-01T00:00:00Z")  # as "redeliver" does
        stage.consume()
        await_true(lambda calls=calls: len(stage.calls()) > calls, "another call")
        await_true(lambda: DelayedRecord.objects.filter(due_at=None, claim=None).exists(), "the held record")
    assert worker.poll() is None


def test_a_record_of_a_subscription_that_is_not_mounted_yet_waits(stage):
    made = stage()
    made.consume({"id": 1})
    before = made.streamapp["SUBSCRIPTIONS"]
    made.streamapp["SUBSCRIPTIONS"] = {}
    old = made.work(visible_after=0.1)
    await_true(lambda: made.said("Outage, the record is delivered again."), "the warning")
    await_true(lambda: made.said("] received") > 1, "the other try")
    old.kill()
    old.wait()
    assert made.calls() == []
    made.streamapp["SUBSCRIPTIONS"] = before
    made.work(visible_after=0.1)
    made.await_handled(1)
    assert [call["attempt"] for call in made.calls()] == [1]
