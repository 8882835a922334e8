"""`streams rewind` to several places, by records, to old checkpoints, from a file; and `streams undo`."""

import json
from datetime import timedelta

import pytest

from streamapp.models import Checkpoint, History, Rewind
from streamapp.positions import SHARD_END
from streamapp.services.flags import Flag
from tests.admin.scenes import DAWN, log, position_of, started, worker


@pytest.fixture
def rows(streams):
    return started("ledger.spend", dict.fromkeys(log(first=40, end=90), 70))


def rewind(streams, *words):
    return streams("rewind", "ledger.spend", *words, "--execute")


def positions(rows):
    return [position_of(row) for row in rows]


def test_several_shards_go_each_to_its_own_place(streams, rows):
    assert rewind(streams, "0@41", "orders/2@89").code == 0
    assert positions(rows) == [41, 70, 89]


def test_a_shift_goes_so_many_records_back_or_on(streams, rows):
    rewind(streams, "--shift", "-5")
    rewind(streams, "--shift=1", "--shard", "1")
    assert positions(rows) == [65, 66, 65]


def test_the_checkpoints_of_a_moment_come_back(streams, rows):
    History.objects.create(checkpoint=rows[0], position=44, sampled_at=DAWN)
    History.objects.create(checkpoint=rows[0], position=48, sampled_at=DAWN + timedelta(minutes=2))
    said = rewind(streams, "--as-of", "2026-11-01T01:01:00+01:00")
    assert positions(rows) == [44, 70, 70]
    assert "2026-11-01 00:01:00 UTC" in said.text
    assert f"No change: orders/1: {Flag.NO_SAMPLE.value}" in said.text


def test_a_file_of_kafkas_own_tool_is_taken(streams, rows, tmp_path):
    file = tmp_path / "positions.csv"
    file.write_text("orders,0,41\norders,2,89\n")
    rewind(streams, "--csv", str(file))
    assert positions(rows) == [41, 70, 89]


@pytest.mark.parametrize(
    "words, sentence",
    [
        ((), "Say where to"),
        (("earliest", "--shift=1"), "Say where to"),
        (("earliest", "latest"), "each name their shard"),
        (("1@91",), "orders/1 ends at 90"),
        (("1@50", "orders/1@51"), "a second time"),
        (("2126-01-01T00:00:00Z",), "is in the future"),
        (("--as-of", "2126-01-01T00:00:00Z"), "is in the future"),
        (("--as-of", "latest"), "is no moment"),
        (("--as-of", "-1h"), "No checkpoint of the chosen shards is known"),
        (("--shift=0",), "0 records is no move"),
        (("--csv", "/nowhere/positions.csv"), "can't be read"),
        (("1@50", "--shard", "0"), "isn't among the chosen"),
    ],
)
def test_what_is_wrong_ends_with_1_and_a_sentence(streams, rows, words, sentence):
    said = rewind(streams, *words)
    assert (said.code, sentence in said.error) == (1, True), said
    assert Rewind.objects.count() == 0


@pytest.mark.parametrize(
    "words", [("earliest",), ("1@55",), ("--shift=-5",), ("--as-of=2026-11-01T00:00:00Z",), ("-2h",)]
)
def test_the_command_that_a_review_offers_does_the_same(streams, rows, words):
    History.objects.create(checkpoint=rows[0], position=44, sampled_at=DAWN)
    plan = json.loads(streams("rewind", "ledger.spend", *words, "--dry-run", "--json").text)
    again = json.loads(streams("rewind", "ledger.spend", *plan["words"], "--dry-run", "--json").text)
    assert [line["new"] for line in again["lines"]] == [line["new"] for line in plan["lines"]]


def test_an_undo_brings_the_old_positions_back_and_names_what_has_read_on(streams, rows):
    worker(rows)
    rewind(streams, "earliest")
    row = Rewind.objects.get()
    Checkpoint.objects.filter(pk=rows[1].pk).update(position=52)
    reviewed = streams("undo", str(row.pk), "--dry-run").text
    assert reviewed.count(Flag.MOVED_ON.value) == 1
    said = streams("undo", str(row.pk), "--execute", "--reason", "it was right before")
    assert (said.code, positions(rows)) == (0, [70, 70, 70])
    undo = Rewind.objects.latest("id")
    assert (undo.undoes, undo.reason) == (row, "it was right before")


def test_an_undo_can_be_undone(streams, rows):
    rewind(streams, "1@50")
    streams("undo", str(Rewind.objects.get().pk), "--execute")
    streams("undo", str(Rewind.objects.latest("id").pk), "--execute")
    assert positions(rows) == [70, 50, 70]


def test_an_undo_of_what_was_rewound_again_says_so(streams, rows):
    rewind(streams, "earliest")
    rewind(streams, "1@50")
    reviewed = streams("undo", str(Rewind.objects.earliest("id").pk), "--dry-run").text
    assert reviewed.count(Flag.SUPERSEDED.value) == 1


def test_an_undo_leaves_shards_alone_that_their_stream_has_no_more(streams, rows):
    rewind(streams, "earliest")
    Checkpoint.objects.filter(pk=rows[0].pk).update(incarnation="an earlier one")
    said = streams("undo", str(Rewind.objects.get().pk), "--execute")
    assert positions(rows) == [40, 70, 70]
    assert f"orders/0: {Flag.GONE.value}" in said.text


def test_an_unknown_number_is_refused(streams, rows):
    assert "no rewind 4711" in streams("undo", "4711", "--dry-run").error


def test_nobody_is_waited_for_where_a_shard_is_finished_by_a_rewind(streams, rows):
    worker(rows)
    rewind(streams, "1@50")
    Rewind.objects.get().shards.update(old_position=SHARD_END)
    said = streams("undo", str(Rewind.objects.get().pk), "--execute", "--wait", "0.3")
    assert said.code == 0
