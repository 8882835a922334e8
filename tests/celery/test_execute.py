"""EXECUTE = "celery": each record becomes a task and is settled when the Celery broker has taken it."""

import pytest

from streamapp.models import Checkpoint, DeadLetter, DelayedRecord
from tests.processes.conftest import await_true

pytestmark = [pytest.mark.live("redis"), pytest.mark.alone, pytest.mark.timeout(240)]


def test_records_are_settled_by_the_consumer_and_handled_by_a_celery_worker(stage):
    stage = stage()
    stage.consume({"id": 1}, {"id": 2}, key="a", headers={"by": "test"})
    assert Checkpoint.objects.get().position == 2
    assert stage.calls() == []
    stage.work()
    stage.await_handled(1, 2)
    assert [(call["id"], call["offset"], call["attempt"]) for call in stage.calls()] == [(1, 0, 1), (2, 1, 1)]


def test_a_failing_record_comes_again_by_celery_and_ends_as_a_dead_letter(stage):
    stage = stage()
    stage.consume({"id": 1, "do": "fail_before:3"}, {"id": 2, "do": "fail"})
    stage.work()
    stage.await_handled(1)
    await_true(DeadLetter.objects.exists, "the dead letter")
    attempts = sorted((call["id"], call["attempt"]) for call in stage.calls())
    assert attempts == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]
    letter = DeadLetter.objects.get()
    assert (letter.position, letter.attempts, letter.exception) == (1, 3, "builtins.ValueError")
    assert letter.headers == {}


def test_a_held_record_waits_in_the_database_for_an_operator(stage):
    stage = stage()
    stage.consume({"id": 1, "do": "hold"})
    stage.work()
    await_true(DelayedRecord.objects.exists, "the held record")
    row = DelayedRecord.objects.get()
    assert (row.due_at, row.held_reason, bytes(row.value)) == (None, "asked to", b'{"id":1,"do":"hold"}')
