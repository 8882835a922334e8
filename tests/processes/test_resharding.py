"""Consumer processes on kinesis-local across splits and merges, kills, and a changing number of workers."""

import pytest

from streamapp.models import Lease
from tests.live.kinesis_service import Service
from tests.processes.conftest import await_true
from tests.processes.kinesis_stage import KinesisStage

pytestmark = [pytest.mark.live("kinesis"), pytest.mark.timeout(240)]
INTERVAL = 2.0


@pytest.fixture
def stage(tmp_path, transactional_db):
    service, made = Service("KINESIS_ENDPOINT_URL"), []

    def make(shards: int, **options) -> KinesisStage:
        made.append(KinesisStage(tmp_path, service, shards, **options))
        return made[-1]

    yield make
    for each in made:
        each.close()
        # Shown by pytest when the test has failed.
        print(each.output.read_text()[-8000:] if each.output.exists() else "No process was started.")
    service.close()


@pytest.mark.parametrize("workers", [1, 3])
def test_two_shards_become_eight_and_then_three_and_each_record_is_handled_once_and_in_order(stage, workers):
    stage = stage(2)
    for _ in range(workers):
        stage.start()
    stage.publish_numbers(100)
    stage.await_all()
    for count in (4, 8, 4, 3):  # the service at most doubles or halves them in one go
        stage.publish_numbers(125)
        stage.resize(count)
        stage.publish_numbers(125)
    stage.await_all()
    assert stage.repeated() == []
    assert stage.is_in_order()
    closed = {parent for parents in stage.service.broker.lineage(stage.source).values() for parent in parents}
    await_true(lambda: stage.has_ended(*closed), "the closed shards say that they have ended")


def test_a_lease_outlasts_a_call_longer_than_the_ttl_although_another_worker_looks_for_free_ones(stage):
    """Fault 9 where leases are spread: whoever is silent for a TTL loses its shards."""
    stage = stage(1)
    stage.start()
    stage.publish_numbers(1, sleep=10)
    await_true(lambda: stage.calls("call"), "the call")
    leases = Lease.objects.filter(checkpoint__stream=stage.source.stream, checkpoint__epoch=1)
    owner = leases.get().worker
    stage.start()
    stage.await_all()
    assert (stage.handled("call"), stage.handled()) == ([0], [0])
    assert leases.get().worker == owner


@pytest.mark.parametrize("others", [0, 2])
def test_a_worker_killed_as_a_parent_ends_loses_nothing_and_keeps_the_order(stage, others):
    stage = stage(1)
    (parent,) = stage.service.broker.shards(stage.source)
    for _ in range(1 + others):
        stage.start()
    stage.publish_numbers(100, sleep=0.01)
    await_true(lambda: len(stage.handled()) > 20, "traffic", 60)
    stage.service.split(parent)
    stage.publish_numbers(100)
    await_true(lambda: stage.has_ended(parent), "the end of the parent", 60)
    ending = {call["pid"] for call in stage.calls("done") if call["shard"] == parent.id}
    for process in stage.processes:
        if process.pid in ending:
            process.kill()
    stage.start()
    stage.await_all()
    assert stage.is_in_order()
    shards = [call["shard"] for call in stage.calls("done")]
    assert shards[:100] == [parent.id] * 100
    assert parent.id not in shards[100:]


@pytest.mark.alone  # it measures how soon a joiner is served
def test_two_then_four_then_three_workers_on_eight_shards_handle_no_record_twice(stage):
    stage = stage(8, interval=INTERVAL)
    first = stage.start()
    stage.start()
    stage.await_shares(4, 4)
    joiners = [stage.start(), stage.start()]
    for _ in range(20):
        stage.publish_numbers(20)
    stage.await_shares(2, 2, 2, 2)
    for joiner in joiners:
        worker = stage.worker_of(joiner)
        waited = [
            (lease.taken_at - worker.started_at).total_seconds() for lease in stage.leases()[joiner.pid]
        ]
        assert min(waited) < 3 * INTERVAL, f"served after {min(waited):.1f} s"
    stage.publish_numbers(100)
    assert stage.end(first) == 0
    assert first.pid not in stage.leases(), "everything is released when the process ends"
    stage.await_shares(2, 3, 3)
    stage.publish_numbers(100)
    stage.await_all()
    assert stage.repeated() == []
    assert stage.is_in_order()
