"""`streams status` over a split: what is finished, what waits for what, and readable positions."""

import json
import re

import pytest
from django.utils import timezone

from streamapp.brokers.kinesis import packing
from streamapp.models import Checkpoint
from streamapp.positions import SHARD_END
from tests.admin import kinesis
from tests.admin.kinesis import LOWER, PARENT, SEQUENCE, UPPER
from tests.admin.scenes import hold

HELD = packing.at(SEQUENCE + 9)


@pytest.fixture
def rows(streams, settings):
    settings.STREAMAPP = kinesis.SETTINGS
    return kinesis.split()


def table(said):
    return [line.split()[:4] for line in said.text.splitlines() if line.startswith("  shipments/")]


def test_positions_are_written_as_kinesis_has_them(streams, rows):
    text = streams("status").text
    assert f"after {SEQUENCE}" in text and "2026-11-30T00:53:20.000Z" in text
    assert str(packing.RECORDS)[:30] not in text


def test_a_child_names_the_parent_that_it_waits_for(streams, rows):
    said = streams("status")
    assert f"shipments/{LOWER} waits for {PARENT}\n" in said.text
    assert table(said)[1:] == [
        [f"shipments/{shard}", "-", "waiting", "2026-11-30T00:53:20.000Z"] for shard in (LOWER, UPPER)
    ]


def test_a_child_names_the_record_that_holds_its_parent(streams, rows):
    hold(rows[0], HELD)
    said = streams("status")
    assert f"shipments/{UPPER} waits for {PARENT} (held at {SEQUENCE + 9}: unknown carrier)" in said.text
    assert f"shipments/{PARENT} waits for its held record {SEQUENCE + 9}: unknown carrier" in said.text
    [subscription] = json.loads(streams("status", "--json").text)
    waits = [shard["waits_for"] for shard in subscription["shards"]]
    assert waits[1] == [{"parent": PARENT, "held": str(SEQUENCE + 9), "reason": "unknown carrier"}]
    assert waits[0] == []


def test_a_finished_parent_says_so_and_its_children_wait_no_more(streams, rows):
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=SHARD_END)
    said = streams("status")
    assert table(said)[0] == [f"shipments/{PARENT}", "-", "finished", "SHARD_END"]
    assert "?" not in next(line for line in said.text.splitlines() if "SHARD_END" in line)
    assert "waits for" not in said.text


def test_a_merged_shard_waits_for_the_parent_that_is_not_finished(streams, rows):
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=SHARD_END)
    Checkpoint.objects.filter(pk=rows[1].pk).update(position=SHARD_END)
    merged = Checkpoint.objects.get(pk=rows[2].pk)
    merged.pk, merged.shard, merged.parents = None, "shardId-000000000003", [LOWER, UPPER]
    merged.save()
    assert f"shipments/shardId-000000000003 waits for {UPPER}\n" in streams("status").text


def test_a_retired_shard_says_since_when_and_holds_nobody_up(streams, rows):
    Checkpoint.objects.filter(pk=rows[0].pk).update(retired_at=timezone.now())
    said = streams("status")
    assert re.search(rf"shipments/{PARENT} +- +retired \d s ago", said.text)
    assert "waits for" not in said.text
    [subscription] = json.loads(streams("status", "--json").text)
    assert subscription["shards"][0]["retired_at"].startswith("20")


def test_the_parents_of_another_incarnation_are_not_waited_for(streams, rows):
    Checkpoint.objects.filter(pk=rows[0].pk).update(incarnation="an earlier one")
    assert "waits for" not in streams("status").text
