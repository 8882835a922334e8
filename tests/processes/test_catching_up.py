"""`streams rewind --until-caught-up` in front of running workers: when it ends, all was handled again."""

from collections import Counter

import pytest

from streamapp.models import Checkpoint
from tests.live.kinesis_service import Service
from tests.processes.conftest import Stage, await_true
from tests.processes.kinesis_stage import KinesisStage

pytestmark = [pytest.mark.timeout(240)]
RECORDS = 60


@pytest.fixture
def kinesis(tmp_path, transactional_db):
    service = Service("KINESIS_ENDPOINT_URL")
    stage = KinesisStage(tmp_path, service, 2)
    yield stage
    stage.close()
    print(stage.output.read_text()[-8000:] if stage.output.exists() else "No process was started.")
    service.close()


def streams(stage: Stage, *words: str) -> int:
    name, *rest = words
    return stage.command("streams", name, stage.topic, *rest, "--execute", "--until-caught-up", "90").wait(
        120
    )


def times_handled(stage: Stage) -> set[int]:
    return set(Counter(stage.handled()).values())


@pytest.mark.live("kafka")
def test_on_kafka_it_ends_when_all_is_handled_again_and_not_before(stage):
    stage = stage(partitions=2)
    stage.publish(*({"id": n, "do": "sleep:0.05"} for n in range(RECORDS)))
    stage.start()
    stage.await_handled(*range(RECORDS))
    await_true(lambda: sum(stage.positions().values()) == RECORDS, "the checkpoints at the end")
    assert streams(stage, "rewind", "earliest") == 0
    assert times_handled(stage) == {2}
    assert sum(stage.positions().values()) == RECORDS


@pytest.mark.live("kafka")
def test_on_kafka_a_held_record_does_not_keep_it_waiting(stage):
    stage = stage(partitions=1)
    stage.publish({"id": 0}, {"id": 1, "do": "hold"}, *({"id": n} for n in range(2, RECORDS)))
    stage.start()
    stage.await_handled(RECORDS - 1)
    await_true(lambda: stage.positions() == {"0": 1}, "the checkpoint in front of the held record")
    assert streams(stage, "rewind", "earliest") == 0
    assert stage.handled().count(RECORDS - 1) == 2


@pytest.mark.live("kinesis")
def test_on_kinesis_it_ends_when_all_is_handled_again_also_behind_a_split(kinesis):
    kinesis.start()
    kinesis.publish_numbers(RECORDS, sleep=0.05)
    kinesis.resize(4)
    kinesis.publish_numbers(RECORDS, sleep=0.05)
    kinesis.await_all()
    rows = Checkpoint.objects.filter(stream=kinesis.source.stream)
    await_true(lambda: rows.count() == 6, "the children")
    assert streams(kinesis, "rewind", "earliest") == 0
    assert times_handled(kinesis) == {2}
