"""Celery's beat as a process, with the schedule of the docs, and a worker that does what it asks for."""

import signal
from datetime import UTC, datetime, timedelta

import pytest

from streamapp.models import DeadLetter, DelayedRecord, Lag
from streamapp.testing import Service
from tests.celery.test_beat import delay, letter
from tests.processes.conftest import await_true

pytestmark = [pytest.mark.live("redis"), pytest.mark.alone, pytest.mark.timeout(240)]


def start(stage, directory):
    """Start beat and one worker."""
    stage.work()
    return stage.celery("beat", "-l", "INFO", STREAMAPP_TEST_BEAT=str(directory / "schedule"))


def test_retries_lags_and_pruning_go_on_where_no_worker_of_the_stream_runs(stage, tmp_path):
    stage = stage(workers="tests.celery.beating", EXECUTE="worker")
    with Service("orders") as service:
        service.publish("orders", {"id": 1})
        service.run()
        service.publish("orders", {"id": 2})
        service.publish("orders", {"id": 3})
    calls = len(stage.calls())
    Lag.objects.all().delete()
    delay(7)
    delay(8, 3600.0)
    letter(9)
    DeadLetter.objects.update(created_at=datetime.now(UTC) - timedelta(days=400))
    beat = start(stage, tmp_path)
    await_true(lambda: list(Lag.objects.values_list("records", flat=True)) == [2], "the lag")
    await_true(lambda: not DeadLetter.objects.exists(), "the end of the old dead letter")
    stage.await_handled(7)
    await_true(lambda: [row.position for row in DelayedRecord.objects.all()] == [8], "the end of the copy")
    assert [call["id"] for call in stage.calls()[calls:]] == [7]
    beat.send_signal(signal.SIGTERM)
    assert beat.wait(20) == 0


def test_beat_leaves_alone_what_needs_the_worker_of_its_stream(stage, tmp_path):
    stage = stage(workers="tests.celery.beating", EXECUTE="worker", TRANSACTION="checkpoint")
    delay(7)
    start(stage, tmp_path)
    await_true(lambda: stage.said("streamapp.due_retries[") > 1, "two looks for due copies", 60)
    assert (stage.calls(), DelayedRecord.objects.get().claim) == ([], None)
