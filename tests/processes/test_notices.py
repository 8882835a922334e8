"""A worker that looks only every minute follows a rewind at once where PostgreSQL tells it."""

import pytest

from streamapp.positions import Earliest
from streamapp.services import rewind
from tests.processes.conftest import await_true

pytestmark = [pytest.mark.live("kafka", "postgres"), pytest.mark.alone, pytest.mark.timeout(180)]


def test_a_rewind_doesnt_wait_for_the_next_save(stage):
    stage = stage(settings={"SAVE_INTERVAL": 60.0})
    stage.start()
    stage.publish(*({"id": number} for number in range(5)))
    stage.await_handled(*range(5), seconds=60)
    row = rewind.apply(rewind.plan_mounted(stage.topic, Earliest()), origin="test")
    await_true(lambda: len(stage.handled()) == 10, "all records again, long before the next save", 20)
    assert not row.shards.filter(seen_at=None).exists()
