"""`streams export` and `streams import`: checkpoints as a file, and back."""

import json

import pytest

from streamapp.brokers.kinesis import packing
from streamapp.models import Checkpoint, History, Rewind
from streamapp.positions import SHARD_END
from streamapp.records import Shard
from tests.admin import kinesis
from tests.admin.scenes import DAWN, log, position_of, started


@pytest.fixture
def rows(streams):
    return started("ledger.spend", {shard: 70 + n for n, shard in enumerate(log(first=40, end=90))})


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "positions.csv"
        path.write_text(text)
        return str(path)

    return write


def positions(rows):
    return [position_of(row) for row in rows]


def test_the_present_checkpoints_are_lines_as_kafkas_own_tool_has_them(streams, rows):
    assert streams("export", "ledger.spend").text == "orders,0,70\norders,1,71\norders,2,72\n"


def test_what_was_exported_comes_back(streams, rows, file):
    kept = file(streams("export", "ledger.spend").text)
    streams("rewind", "ledger.spend", "earliest", "--execute")
    said = streams("import", "ledger.spend", kept, "--reason", "as before", "--execute")
    assert (said.code, positions(rows)) == (0, [70, 71, 72])
    assert Rewind.objects.latest("id").reason == "as before"
    streams("undo", str(Rewind.objects.latest("id").pk), "--execute")
    assert positions(rows) == [40, 40, 40]


def test_the_checkpoints_of_a_moment_are_exported_and_what_is_not_known_is_said(streams, rows, capsys):
    for row, position in zip(rows[:2], (44, 45), strict=True):
        History.objects.create(checkpoint=row, position=position, sampled_at=DAWN)
    said = streams("export", "ledger.spend", "--as-of", "2026-11-01T00:00:00Z")
    assert (said.code, said.text) == (0, "orders,0,44\norders,1,45\n")
    assert "! orders/2 is left out" in capsys.readouterr().err


def test_shards_that_are_gone_are_not_exported(streams, rows):
    started("ledger.spend", {Shard("orders", "0", "made anew"): 5})
    assert streams("export", "ledger.spend").text.splitlines()[0] == "orders,0,5"
    Checkpoint.objects.filter(shard="0").update(retired_at=DAWN)
    assert streams("export", "ledger.spend").text == "orders,1,71\norders,2,72\n"


def test_an_import_is_reviewed_first(streams, rows, file):
    said = streams("import", "ledger.spend", file("orders,0,50\n"), "--dry-run")
    assert "20 records read again" in said.text
    assert "No change: 2 other shards" in said.text
    assert positions(rows) == [70, 71, 72]


def test_a_number_behind_the_end_is_moved_there_only_if_allowed(streams, rows, file):
    assert "ends at 90" in streams("import", "ledger.spend", file("orders,0,91"), "--execute").error
    streams("import", "ledger.spend", file("orders,0,91"), "--clamp", "--execute")
    assert positions(rows) == [90, 71, 72]


@pytest.mark.parametrize("position", ["after", "moment", "horizon", "finished"])
def test_positions_of_kinesis_are_written_so_that_they_are_read_again(streams, settings, position):
    settings.STREAMAPP = kinesis.SETTINGS
    row = kinesis.split()[0]
    places = {
        "after": row.position,
        "moment": packing.moment(kinesis.OPENED),
        "horizon": packing.HORIZON,
        "finished": SHARD_END,
    }
    Checkpoint.objects.filter(pk=row.pk).update(position=places[position])
    stream, shard, text = streams("export", "shipping.ship").text.splitlines()[0].split(",")
    assert (stream, shard, packing.read(text)) == ("shipments", kinesis.PARENT, places[position])


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("export", "ledger.spent"), "ledger.spent"),
        (("export", "shipping.ship"), "no checkpoint yet"),
        (("export", "ledger.spend", "--as-of", "-1h"), "No checkpoint of ledger.spend is known"),
        (("export", "ledger.spend", "--as-of", "2126-01-01T00:00:00Z"), "is in the future"),
        (("import", "ledger.spend", "/nowhere/positions.csv", "--execute"), "can't be read"),
    ],
)
def test_what_can_not_be_done_ends_with_1_and_a_sentence(streams, rows, words, sentence):
    said = streams(*words)
    assert (said.code, sentence in said.error) == (1, True), said


@pytest.mark.parametrize(
    "text, sentence",
    [("", "no line"), ("orders,0", "Line 1"), ("orders,9,50", "orders/9@50"), ("orders,0,x", "is no offset")],
)
def test_a_file_that_is_wrong_moves_nothing(streams, rows, file, text, sentence):
    said = streams("import", "ledger.spend", file(text), "--execute")
    assert (said.code, sentence in said.error) == (1, True), said
    assert Rewind.objects.count() == 0


def test_an_import_prints_what_a_rewind_prints(streams, rows, file):
    said = streams("import", "ledger.spend", file("orders,0,50\n"), "--dry-run", "--json")
    [line] = json.loads(said.text)["lines"]
    assert (line["shard"], line["old"], line["new"]) == ("orders/0", 70, 50)
