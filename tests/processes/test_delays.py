"""Delayed copies and workers that are killed: on Apache Kafka and the database of the run."""

import pytest
from django.db.models.functions import Now

from streamapp.models import DeadLetter, DelayedRecord
from tests.processes.conftest import await_true

pytestmark = [pytest.mark.live("kafka"), pytest.mark.timeout(180)]
DELAY_SECONDS = 5.0


def attempts(stage) -> list[tuple[int, int]]:
    return [(call["id"], call["attempt"]) for call in stage.calls()]


def rows(stage):
    return DelayedRecord.objects.filter(subscription=stage.topic)


def test_a_copy_survives_kill_9_during_its_delay(stage):
    stage = stage(partitions=1, MAX_ATTEMPTS=3, RETRY_DELAY="5s..5s")
    first = stage.start()
    stage.publish({"id": 1, "do": "fail_before:2"}, {"id": 2})
    await_true(lambda: stage.positions() == {"0": 2}, "the checkpoint behind the copied record")
    failed_at = next(call["at"] for call in stage.calls() if call["id"] == 1)
    assert rows(stage).get().attempt == 2
    first.kill()
    first.wait()
    stage.start()
    stage.await_handled(1, 2, seconds=60)
    assert attempts(stage) == [(1, 1), (2, 1), (1, 2)]
    again_at = next(call["at"] for call in stage.calls("done") if call["id"] == 1)
    assert again_at - failed_at >= DELAY_SECONDS
    await_true(lambda: not rows(stage).exists(), "the end of the copy")


def test_a_copy_survives_kill_9_while_it_is_handled(stage):
    stage = stage(partitions=1, MAX_ATTEMPTS=3, RETRY_DELAY="100ms..100ms")
    first = stage.start()
    stage.publish({"id": 1, "do": "sleep_at:2"})
    await_true(lambda: (1, 2) in attempts(stage), "the second attempt")
    first.kill()
    first.wait()
    assert rows(stage).get().claim is not None
    second = stage.start()
    stage.publish({"id": 2, "do": "fail_before:2"})
    stage.await_handled(2, seconds=60)  # by a copy: it has looked for those that are due
    assert attempts(stage) == [(1, 1), (1, 2), (2, 1), (2, 2)]
    rows(stage).filter(attempt=2).update(claimed_until=Now())  # a minute has passed
    await_true(lambda: attempts(stage)[4:] == [(1, 2)], "the second attempt once more", 60)
    assert not DeadLetter.objects.filter(subscription=stage.topic).exists()
    second.kill()


def test_copies_are_handled_by_whichever_worker_lives(stage):
    stage = stage(partitions=1, MAX_ATTEMPTS=3, RETRY_DELAY="1s..1s")
    stage.start()
    stage.start()
    stage.publish(*({"id": number, "do": "fail_before:3"} for number in range(20)))
    stage.await_handled(*range(20), seconds=90)
    assert sorted(attempts(stage)) == sorted((id_, attempt) for id_ in range(20) for attempt in (1, 2, 3))
    await_true(lambda: not rows(stage).exists(), "the end of the copies")
