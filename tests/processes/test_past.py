"""What running workers write down of the past: on Apache Kafka."""

import pytest

from streamapp.models import History, Trend
from tests.processes.conftest import Stage, await_true

pytestmark = [pytest.mark.live("kafka"), pytest.mark.timeout(120)]


@pytest.fixture
def stage(stage) -> Stage:
    return stage(partitions=2)


def handled(stage: Stage) -> int:
    return sum(Trend.objects.filter(subscription__name=stage.topic).values_list("handled", flat=True))


def test_a_worker_notes_its_checkpoints_and_adds_up_what_it_handles(stage):
    stage.publish(*({"id": number} for number in range(20)))
    stage.start()
    stage.await_handled(19)
    await_true(lambda: handled(stage) == 20, "totals of all records")
    notes = History.objects.filter(checkpoint__stream=stage.topic)
    assert await_true(lambda: notes.count() >= 2, "a note a shard")
