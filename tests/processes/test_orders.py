"""Orders of an operator under traffic, with real processes: on Apache Kafka and the database of the run."""

import io
import time

import pytest
from django.core.management import call_command

from streamapp.models import Lease, Worker
from tests.processes.conftest import Stage, await_true
from tests.processes.test_taking_over import owners
from tests.processes.traffic import Traffic

pytestmark = [pytest.mark.live("kafka"), pytest.mark.alone, pytest.mark.timeout(180)]

SECONDS = 2.0
"""An order is looked for each second; a machine under load may need another one."""


@pytest.fixture
def stage(stage) -> Stage:
    stage = stage(partitions=4, settings={"SAVE_INTERVAL": 1.0})  # the default
    for _ in range(2):
        stage.start()
    await_true(lambda: len(owners(stage)) == 2, "two owners", 60)
    return stage


def order(*words: str) -> None:
    call_command("streams", *words, "--execute", "--reason", "a test", stdout=io.StringIO())


def latest(stage, shard=None) -> float:
    """When the last record of a shard, or of any, was handled."""
    times = [call["at"] for call in stage.calls("done") if shard in (None, call["shard"])]
    return max(times, default=0.0)


def test_a_pause_under_traffic_takes_effect_within_a_second_or_two_and_survives_a_restart(stage):
    with Traffic(stage):
        await_true(lambda: len(stage.handled()) > 100, "traffic")
        order("pause", stage.topic)
        paused = time.time()
        await_true(lambda: time.time() - max(latest(stage), paused) > 3.0, "silence")
        assert latest(stage) - paused < SECONDS
        before = len(stage.handled())
        for process in stage.processes[:2]:
            process.terminate()
            process.wait(20)
        stage.start()
        await_true(lambda: len(owners(stage)) == 1, "the new owner", 60)
        await_true(
            lambda: Lease.objects.filter(checkpoint__stream=stage.topic, worker=None).count() == 0, "all"
        )
        restarted = time.time()
        await_true(lambda: time.time() - restarted > 3.0, "time for a mistake")
        assert len(stage.handled()) == before
        order("resume", stage.topic)
        resumed = time.time()
        await_true(lambda: len(stage.handled()) > before, "the first record after it")
        assert latest(stage) - resumed < SECONDS
    published = max(stage.handled())
    stage.await_handled(*range(published + 1))


def test_a_pause_of_one_shard_leaves_the_others_alone(stage):
    with Traffic(stage):
        await_true(lambda: len(stage.handled()) > 100, "traffic")
        order("pause", stage.topic, "--shard", "0")
        paused = time.time()
        await_true(lambda: time.time() - max(latest(stage, 0), paused) > 3.0, "silence of one")
        assert latest(stage, 0) - paused < SECONDS
        assert all(time.time() - latest(stage, shard) < 1.0 for shard in (1, 2, 3))


def test_a_drained_worker_leaves_its_group_stays_up_and_comes_back(stage):
    with Traffic(stage):
        await_true(lambda: len(stage.handled()) > 100, "traffic")
        worker = Worker.objects.get(process_id=stage.processes[0].pid)
        order("drain", str(worker.pk))
        await_true(lambda: owners(stage) and worker.pk not in owners(stage), "the other one has all")
        await_true(lambda: _unowned(stage) == 0, "every shard is read")
        drained = time.time()
        await_true(lambda: time.time() - drained > 3.0, "time for a mistake")
        assert worker.pk not in owners(stage)
        assert stage.processes[0].poll() is None
        order("drain", str(worker.pk), "--undo")
        await_true(lambda: len(owners(stage)) == 2, "both hold shards again", 60)
    published = max(stage.handled())
    stage.await_handled(*range(published + 1))


def test_a_held_record_is_skipped_under_traffic(stage):
    stage.publish({"id": 10**6, "do": "hold"}, partition_key="0")
    shard = await_true(lambda: [call["shard"] for call in stage.calls() if call["id"] == 10**6], "the hold")[
        0
    ]
    place = next(call["offset"] for call in stage.calls() if call["id"] == 10**6)
    with Traffic(stage):
        await_true(lambda: len(stage.handled()) > 100, "traffic")
        await_true(lambda: stage.positions()[str(shard)] == place, "the checkpoint stands in front of it")
        await_true(lambda: stage.row(shard).held.exists(), "the row of the held record")
        order("skip", stage.topic, f"{shard}@{place}")
        asked = time.time()
        await_true(lambda: stage.positions()[str(shard)] > place, "the checkpoint moves on", 10)
        assert time.time() - asked < 2 * SECONDS
    calls = [call for call in stage.calls() if call["id"] == 10**6]
    assert len(calls) == 1


def _unowned(stage) -> int:
    return Lease.objects.filter(checkpoint__stream=stage.topic, worker=None).count()
