"""A rolling restart of four workers under traffic: planned moves hand over and repeat nothing.

Counted is what the handlers have written down, so calls that were void would count too.
"""

import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from streamapp.models import Lease
from tests.live.kinesis_service import Service
from tests.processes.conftest import Stage, await_true
from tests.processes.kinesis_stage import KinesisStage

pytestmark = [pytest.mark.alone, pytest.mark.timeout(400)]
WORKERS = 4
SHARDS = 8
PATIENT = {"SAVE_INTERVAL": 1.0, "HEARTBEAT_INTERVAL": 1.0, "HEARTBEAT_TTL": 12.0, "STOP_TIMEOUT": 25.0}
"""Little is saved by chance, and a busy machine lets nobody look dead."""
COOPERATIVE = {
    "partition.assignment.strategy": "cooperative-sticky",
    "session.timeout.ms": 20000,
    "heartbeat.interval.ms": 300,
}
LANES = [{}, {"LANES": 4, "ORDER": "key"}, {"LANES": 4, "ORDER": "none"}]


@contextmanager
def traffic(stage: Stage) -> Iterator[None]:
    """Publish numbered records until it is left: half of what the workers could handle."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(0.1):
            stage.publish_numbers(10)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


class KafkaNumbers:
    """A stage on Kafka with what a stream of numbers needs."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.published = 0

    def publish_numbers(self, count: int) -> None:
        numbers = range(self.published, self.published + count)
        self.stage.publish(*({"id": number, "do": "sleep:0.02"} for number in numbers))
        self.published += count


class KinesisNumbers:
    """The same on Kinesis."""

    def __init__(self, stage: KinesisStage) -> None:
        self.stage = stage

    @property
    def published(self) -> int:
        return self.stage.published

    def publish_numbers(self, count: int) -> None:
        self.stage.publish_numbers(count, sleep=0.02)


def sharers(stage: Stage, stream: str) -> set[int]:
    """Return the processes that hold shards."""
    leases = Lease.objects.filter(checkpoint__stream=stream).exclude(worker=None)
    return set(leases.values_list("worker__process_id", flat=True))


def restart_one_after_the_other(stage: Stage, stream: str, numbers) -> None:
    for _ in range(WORKERS):
        stage.start()
    await_true(lambda: len(sharers(stage, stream)) == WORKERS, "four owners", 90)
    with traffic(numbers):
        for old in list(stage.processes):
            before = len(stage.handled())
            await_true(lambda before=before: len(stage.handled()) > before + 100, "traffic", 60)
            old.send_signal(signal.SIGTERM)
            assert old.wait(40) == 0
            new = stage.start()
            await_true(lambda new=new: new.pid in sharers(stage, stream), "the new worker's share", 90)
    stage.await_handled(*range(numbers.published), seconds=90)


def repeated(stage: Stage) -> dict[int, int]:
    return {number: count for number, count in Counter(stage.handled("done")).items() if count > 1}


@pytest.mark.live("kafka")
@pytest.mark.parametrize("lanes", LANES, ids=lambda lanes: lanes.get("ORDER", "one lane"))
def test_a_rolling_restart_on_kafka_handles_no_record_twice(stage, lanes):
    stage = stage(partitions=SHARDS, options=COOPERATIVE, settings=PATIENT, **lanes)
    restart_one_after_the_other(stage, stage.topic, KafkaNumbers(stage))
    assert repeated(stage) == {}


@pytest.fixture
def kinesis(tmp_path, transactional_db) -> Iterator[KinesisStage]:
    service = Service("KINESIS_ENDPOINT_URL")
    stage = KinesisStage(tmp_path, service, SHARDS)
    stage.streamapp |= PATIENT
    yield stage
    stage.close()
    # Shown by pytest when the test has failed.
    print(stage.output.read_text()[-8000:] if stage.output.exists() else "No process was started.")
    service.close()


@pytest.mark.live("kinesis")
@pytest.mark.parametrize("lanes", LANES, ids=lambda lanes: lanes.get("ORDER", "one lane"))
def test_a_rolling_restart_on_kinesis_handles_no_record_twice(kinesis, lanes):
    kinesis.streamapp["SUBSCRIPTIONS"][kinesis.topic] |= lanes
    restart_one_after_the_other(kinesis, kinesis.source.stream, KinesisNumbers(kinesis))
    assert repeated(kinesis) == {}
