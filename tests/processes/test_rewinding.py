"""Rewinds of four running workers under traffic: on Apache Kafka and the database of the run.

The admin action goes through Django's test client.
"""

import io
import json
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command

from streamapp.models import Checkpoint, Rewind
from tests.admin import wizard
from tests.processes.conftest import Stage, await_true
from tests.processes.test_taking_over import owners
from tests.processes.traffic import Traffic

pytestmark = [pytest.mark.live("kafka"), pytest.mark.alone, pytest.mark.timeout(240)]

PARTITIONS = 4
SECONDS = 2.0
KINDS = ["earliest", "latest", "2@15", "topic/1@20", "a moment", "-2s"]


@dataclass
class Reviewed:
    """What a review said, by shard, and when it was applied."""

    new: dict[int, int]
    rewind: Rewind


@pytest.fixture
def stage(stage) -> Stage:
    stage = stage(partitions=PARTITIONS, settings={"SAVE_INTERVAL": 1.0})  # the default
    for _ in range(4):
        stage.start()
    await_true(lambda: len(owners(stage)) == 4, "four owners", 90)
    return stage


def text_of(stage, kind):
    if kind == "a moment":
        return (datetime.now(UTC) - timedelta(seconds=1)).isoformat()
    return kind.replace("topic", stage.topic)


def by_command(stage, position) -> Reviewed:
    said = io.StringIO()
    call_command("streams", "rewind", stage.topic, position, "--execute", "--json", stdout=said)
    lines = {line["shard"]: line["new"] for line in json.loads(said.getvalue())["lines"]}
    return Reviewed({int(name.split("/")[1]): new for name, new in lines.items()}, newest())


def by_admin(stage, position, client) -> Reviewed:
    reviewed = wizard.review(client, Checkpoint.objects.filter(stream=stage.topic), position)
    lines = {line.shard: line.new for line in reviewed.context["plan"].lines}
    wizard.apply(client, reviewed)
    return Reviewed({int(name.split("/")[1]): new for name, new in lines.items()}, newest())


def newest() -> Rewind:
    return Rewind.objects.latest("id")


def offsets_after(stage, shard, moment) -> list[int]:
    return [call["offset"] for call in stage.calls() if call["shard"] == shard and call["at"] >= moment]


def check_moved(stage, shard, new, moment) -> None:
    """From the reviewed number on, within two seconds, every record in order, and no other jump."""
    calls = [call for call in stage.calls() if call["shard"] == shard and call["at"] >= moment]
    start = max(place for place, call in enumerate(calls) if call["offset"] == new)
    old, moved = calls[:start], calls[start:]
    assert [call["offset"] for call in moved] == list(range(new, new + len(moved)))
    assert moved[0]["at"] - moment < SECONDS, "the rewind took too long to reach the handler"
    began = old[0]["offset"] if old else 0
    assert [call["offset"] for call in old] == list(range(began, began + len(old)))


def watch_positions(stage, reviewed, moment, seconds) -> None:
    """No stored position may ever outrun what was handled from the new position on."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        stored = stage.positions()
        for shard, new in reviewed.new.items():
            handled = [offset for offset in offsets_after(stage, shard, moment) if offset >= new]
            assert new <= stored[str(shard)] <= max([new - 1, *handled]) + 1
        time.sleep(0.1)


def rewind_and_check(stage, position, way) -> None:
    reviewed = way(stage, position)
    moment = reviewed.rewind.requested_at.timestamp()
    moved = reviewed.rewind.shards.select_related("checkpoint")
    assert {int(shard.checkpoint.shard): shard.new_position for shard in moved} == reviewed.new
    watch_positions(stage, reviewed, moment, SECONDS)
    await_true(lambda: not reviewed.rewind.shards.filter(applied_at=None).exists(), "the stamps")
    for stamped in reviewed.rewind.shards.all():
        assert (stamped.applied_at - reviewed.rewind.requested_at).total_seconds() < SECONDS
    for shard, new in reviewed.new.items():
        check_moved(stage, shard, new, moment)


@pytest.mark.parametrize("way", ["command", "admin"])
def test_running_workers_read_exactly_from_the_reviewed_positions_on(stage, way, admin_client):
    ways = {"command": by_command, "admin": lambda stage, text: by_admin(stage, text, admin_client)}
    with Traffic(stage):
        for kind in KINDS:
            await_true(lambda: min(stage.positions().values()) > 25, "traffic on all partitions", 60)
            rewind_and_check(stage, text_of(stage, kind), ways[way])
