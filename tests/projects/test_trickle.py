"""The traffic of the example."""

from itertools import islice

import pytest
from django.core.management import call_command

from projects.trickle.records import outgoing
from streamapp import registry
from streamapp.codecs import encode
from streamapp.models import Checkpoint, HeldRecord, Quarantined
from streamapp.records import Shard
from tests.projects.waiting import until


def _first(seed: int, count: int) -> list[tuple[str, bytes | None, str]]:
    records = islice(outgoing(seed), count)
    return [(record.destination, encode(record.value), record.key) for record in records]


def test_the_same_seed_gives_the_same_records_and_another_seed_others(site):
    assert _first(7, 300) == _first(7, 300)
    assert not {value for _, value, _ in _first(7, 300)} & {value for _, value, _ in _first(8, 300)} - {b"{"}


def test_the_trickle_reaches_every_stream(site, capsys):
    call_command("trickle", records=40, seed=3)
    for mount in registry.mounts().values():
        broker = registry.broker(mount.broker)
        bounds = broker.bounds(broker.shards(mount.source))
        assert sum(kept.end for kept in bounds.values()) > 0, mount.name
    assert "Published 40 records." in capsys.readouterr().out


@pytest.mark.timeout(120)
def test_the_whole_trickle_is_handled_and_only_held_shipments_are_left(site, running):
    call_command("trickle", records=300, seed=19)
    with running(*registry.mounts()):
        until(_is_handled, seconds=60)
    assert HeldRecord.objects.exists()
    assert Quarantined.objects.exists()


def _is_handled() -> bool:
    """Tell whether every checkpoint is at its shard's end, or at the first record that is held there."""
    held = {row.checkpoint.key: row.position for row in HeldRecord.objects.order_by("-position")}
    stored = {(row.subscription.name, row.key): row.position for row in Checkpoint.objects.all()}
    return stored == {(name, shard): held.get(shard, end) for name, shard, end in _ends()}


def _ends() -> list[tuple[str, Shard, int]]:
    broker = registry.broker("local")
    return [
        (mount.name, shard, kept.end)
        for mount in registry.mounts().values()
        for shard, kept in broker.bounds(broker.shards(mount.source)).items()
    ]
