"""The lag that running workers write, and how it reaches an operator: on Apache Kafka."""

import io
import json

import pytest
from django.core.management import call_command

from streamapp.models import Lag
from tests.processes.conftest import Stage, await_true

pytestmark = [pytest.mark.live("kafka"), pytest.mark.timeout(120)]


@pytest.fixture
def stage(stage) -> Stage:
    return stage(partitions=1)


def sample(stage: Stage, **expected: int) -> Lag | None:
    return Lag.objects.filter(checkpoint__stream=stage.topic, **expected).first()


def status(stage: Stage) -> dict:
    said = io.StringIO()
    call_command("streams", "status", stage.topic, "--json", stdout=said)
    [subscription] = json.loads(said.getvalue())
    return subscription["shards"][0]


def test_a_worker_that_has_caught_up_says_so_again_and_again(stage):
    stage.publish(*({"id": number} for number in range(20)))
    stage.start()
    stage.await_handled(19)
    first = await_true(lambda: sample(stage, records=0, milliseconds=0), "a sample at the end")
    assert first.read_to == 20
    await_true(lambda: sample(stage, sampled_at__gt=first.sampled_at), "a later sample")


def test_what_lies_behind_a_held_record_is_behind_though_reading_goes_on(stage):
    stage.publish({"id": 0}, {"id": 1, "do": "hold"}, *({"id": number} for number in range(2, 20)))
    stage.start()
    stage.await_handled(19)
    await_true(lambda: sample(stage, records=19, milliseconds=0), "a sample that counts from the held record")
    shard = status(stage)
    assert (shard["lag_records"], shard["lag_seconds"], shard["position"]) == (19, 0.0, 1)
    assert shard["lag_age_seconds"] < 30
