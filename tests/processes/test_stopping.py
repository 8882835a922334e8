"""How a consumer process ends: on Apache Kafka and the database of the run."""

import signal

import pytest

from streamapp.models import Worker
from tests.processes.conftest import await_true

pytestmark = [pytest.mark.live("kafka"), pytest.mark.timeout(120)]


def test_sigterm_finishes_the_call_that_runs_saves_and_releases(stage):
    stage = stage()
    stage.publish(*({"id": number, "do": "sleep:0.05"} for number in range(100)))
    process = stage.start()
    stage.await_handled(5)
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=10) == 0
    done = stage.handled()
    assert done == list(range(len(done))) == stage.handled("call"), "no call was cut off"
    assert len(done) < 100
    assert stage.positions() == {"0": len(done)}
    assert stage.row().lease.worker_id is None
    assert Worker.objects.get().state == "departed"


def test_sigterm_in_the_middle_of_a_batch_lets_it_finish(stage):
    stage = stage(HANDLER="tests.processes.handlers.obey_batch")
    stage.publish(*({"id": number, "sleep": 0.2} for number in range(30)))
    process = stage.start()
    await_true(lambda: len(stage.calls()) == 2, "the second batch")
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=10) == 0
    batches = stage.calls("done")
    assert len(batches) == 2
    assert stage.positions() == {"0": sum(len(batch["ids"]) for batch in batches)}


def test_a_call_that_outlasts_the_stop_timeout_is_void(stage):
    """Fault 18: cancelled is not done."""
    stage = stage(settings={"STOP_TIMEOUT": 1.0})
    stage.publish(*({"id": number, "do": "sleep:10" if number == 7 else ""} for number in range(9)))
    process = stage.start()
    await_true(lambda: stage.handled("call") == list(range(8)), "the call that sleeps")
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=5) == 0
    assert stage.positions() == {"0": 7}
    assert stage.row().lease.worker_id is None
    stage.start()
    await_true(lambda: stage.handled("call")[8:9], "the next start")
    assert stage.handled("call")[8] == 7


def test_a_second_signal_ends_it_at_once(stage):
    stage = stage()
    stage.publish({"id": 0, "do": "sleep:30"})
    process = stage.start()
    await_true(lambda: stage.calls(), "the call that sleeps")
    process.send_signal(signal.SIGTERM)
    await_true(lambda: b"Stopping." in stage.output.read_bytes(), "the first signal")
    process.send_signal(signal.SIGTERM)
    assert process.wait(timeout=5) == 130
    assert stage.positions() == {"0": 0}


def test_until_caught_up_handles_what_is_there_and_ends(stage):
    stage = stage(partitions=3)
    stage.publish(*({"id": number} for number in range(50)))
    assert stage.start("--until-caught-up").wait(timeout=30) == 0
    assert sorted(stage.handled()) == list(range(50))


def test_several_processes_share_the_shards_and_end_together(stage):
    stage = stage(partitions=4)
    parent = stage.start("--processes", "2")
    await_true(lambda: len(set(_owners(stage))) == 2, "two owners", 90)
    stage.publish(*({"id": number} for number in range(40)))
    stage.await_handled(*range(40))
    parent.send_signal(signal.SIGTERM)
    assert parent.wait(timeout=15) == 0
    assert set(_owners(stage)) == {None}


def test_when_the_parent_is_killed_the_children_stop_cleanly(stage):
    stage = stage(partitions=2)
    parent = stage.start("--processes", "2")
    await_true(lambda: len(set(_owners(stage))) == 2, "two owners", 90)
    parent.kill()
    await_true(lambda: set(_owners(stage)) == {None}, "the children's goodbye")


def _owners(stage):
    from streamapp.models import Lease

    return list(Lease.objects.filter(checkpoint__stream=stage.topic).values_list("worker", flat=True))
