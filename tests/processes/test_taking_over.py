"""Workers that die, stall, or are slow: on Apache Kafka and the database of the run."""

import signal
import time

import pytest

from streamapp.models import Lease, Worker
from tests.processes.conftest import await_true

pytestmark = [pytest.mark.live("kafka"), pytest.mark.timeout(180)]

PROTOCOLS = {
    "eager": {"partition.assignment.strategy": "range"},
    "cooperative": {"partition.assignment.strategy": "cooperative-sticky"},
    "consumer": {"group.protocol": "consumer"},
}


@pytest.fixture(params=PROTOCOLS)
def protocol(request) -> dict[str, str]:
    return PROTOCOLS[request.param]


def owners(stage) -> set:
    return set(Lease.objects.filter(checkpoint__stream=stage.topic).values_list("worker", flat=True)) - {None}


def process_of(stage, shard):
    """Return the process that owns a shard."""
    owner = stage.row(shard).lease.worker
    return next(process for process in stage.processes if process.pid == owner.process_id)


def test_a_killed_worker_is_taken_over_and_nothing_is_lost(stage, protocol):
    stage = stage(partitions=2, options=protocol)
    stage.start()
    stage.start()
    await_true(lambda: len(owners(stage)) == 2, "two owners", 60)
    stage.publish(*({"id": number, "do": "sleep:0.02"} for number in range(200)))
    await_true(lambda: len(stage.handled()) > 20, "traffic")
    process_of(stage, 0).kill()
    stage.publish(*({"id": number} for number in range(200, 300)))
    stage.await_handled(*range(300), seconds=90)
    await_true(lambda: sum(stage.positions().values()) == 300, "the checkpoints at the end")


def test_a_held_record_comes_first_on_the_worker_that_takes_over(stage, protocol):
    stage = stage(partitions=1, options=protocol)
    first = stage.start()
    stage.publish(*({"id": number, "do": "hold" if number == 3 else ""} for number in range(8)))
    stage.await_handled(7)
    await_true(lambda: stage.positions() == {"0": 3}, "the checkpoint in front of the held record")
    before = len(stage.calls())
    first.kill()
    stage.start()
    await_true(lambda: stage.handled("call")[before:] == [3, 4, 5, 6, 7], "the held record first", 60)
    assert stage.positions() == {"0": 3}


def test_a_worker_that_stalls_past_its_ttl_is_fenced_and_comes_back_as_another(stage):
    stage = stage(partitions=1)
    stalled = stage.start()
    stage.publish(*({"id": number, "do": "sleep:0.05"} for number in range(100)))
    stage.await_handled(10)
    old = stage.row().lease.worker_id
    stalled.send_signal(signal.SIGSTOP)
    stage.start()
    stage.await_handled(*range(60), seconds=90)
    new = stage.row().lease.worker_id
    assert new != old
    stalled.send_signal(signal.SIGCONT)
    await_true(
        lambda: Worker.objects.filter(id=old).exclude(state="alive").exists(), "the end of the old identity"
    )
    await_true(
        lambda: Worker.objects.filter(process_id=stalled.pid, state="alive").exclude(id=old).exists(),
        "another identity",
    )
    stage.await_handled(*range(100), seconds=60)
    await_true(lambda: stage.positions() == {"0": 100}, "the checkpoint at the end")


def test_a_handler_slower_than_the_poll_interval_keeps_its_membership(stage, protocol):
    stage = stage(partitions=1, options={**protocol, "max.poll.interval.ms": 6000})
    stage.start()
    stage.publish({"id": 0, "do": "sleep:12"}, {"id": 1}, {"id": 2})
    stage.await_handled(0, 1, 2, seconds=60)
    stage.publish({"id": 3})
    stage.await_handled(3, seconds=60)
    assert stage.handled("call") == [0, 1, 2, 3]
    assert stage.row().epoch == 1, "an evicted worker would have taken the shard a second time"


def test_a_lease_outlasts_a_call_longer_than_the_ttl(stage):
    """Fault 9: renewing doesn't wait for the handler."""
    stage = stage(partitions=1)
    stage.start()
    stage.publish({"id": 0, "do": "sleep:8"})
    await_true(lambda: stage.calls(), "the call")
    owner = stage.row().lease.worker_id
    stage.start()
    stage.await_handled(0, seconds=60)
    assert stage.handled("call") == [0]
    assert stage.row().lease.worker_id == owner


def test_checkpoints_move_while_a_later_call_takes_long(stage):
    stage = stage(partitions=1)
    stage.start()
    stage.publish({"id": 0}, {"id": 1}, {"id": 2, "do": "sleep:8"})
    begin = time.monotonic()
    await_true(lambda: stage.positions() == {"0": 2}, "the save")
    assert 2 not in stage.handled(), f"saved only after the call, {time.monotonic() - begin:.1f} s"
