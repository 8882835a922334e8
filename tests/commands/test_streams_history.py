"""`streams history`: where checkpoints stood, newest last."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from streamapp.models import Checkpoint, History
from streamapp.services import history as past
from tests.admin import kinesis
from tests.admin.scenes import DAWN, log, started


@pytest.fixture
def rows(streams, settings):
    settings.TIME_ZONE = "UTC"
    return started("ledger.spend", dict.fromkeys(log(first=40, end=90), 70))


def note(row, position, at, records=None, milliseconds=None):
    History.objects.create(
        checkpoint=row, position=position, sampled_at=at, records=records, milliseconds=milliseconds
    )


def positions(said):
    return [(line["shard"], line["position"]) for line in json.loads(said.text)]


def test_the_newest_note_is_last_with_its_zone_and_its_lag(streams, rows):
    note(rows[0], 48, DAWN + timedelta(minutes=2))
    note(rows[0], 44, DAWN, records=1200, milliseconds=65_000)
    said = streams("history", "ledger.spend", "--since", "2026-11-01T01:00:00+01:00")
    heading, columns, first, last = said.text.splitlines()
    assert heading == "ledger.spend since 2026-11-01 00:00:00 UTC: 2 notes."
    assert columns.split("  ")[0] == "at" and "lag (records)" in columns
    assert first == "2026-11-01 00:00:00 UTC  orders/0        44          1,200  1 min 5 s"
    assert last.split()[:6] == ["2026-11-01", "00:02:00", "UTC", "orders/0", "48", "?"]


def test_two_hours_are_shown_unless_asked_otherwise(streams, rows):
    now = datetime.now(UTC)
    note(rows[0], 44, now - timedelta(hours=3))
    note(rows[1], 48, now - timedelta(hours=1))
    assert positions(streams("history", "ledger.spend", "--json")) == [("orders/1", 48)]
    for since in ("4h", "-4h"):
        found = positions(streams("history", "ledger.spend", "--json", "--since", since))
        assert found == [("orders/0", 44), ("orders/1", 48)]


def test_only_the_named_shards_are_shown_and_those_that_are_gone_too(streams, rows):
    for row in rows:
        note(row, 44, DAWN)
    Checkpoint.objects.filter(pk=rows[0].pk).update(retired_at=DAWN)
    said = streams("history", "ledger.spend", "--since=2026-11-01T00:00:00Z", "--json", "--shard=orders/0")
    assert positions(said) == [("orders/0", 44)]


def test_the_values_have_times_with_a_zone(streams, rows):
    note(rows[0], 44, DAWN, records=3, milliseconds=1500)
    [line] = json.loads(streams("history", "ledger.spend", "--since=2026-11-01T00:00:00Z", "--json").text)
    assert datetime.fromisoformat(line["at"]) == DAWN
    assert (line["described"], line["lag_records"], line["lag_seconds"]) == ("44", 3, 1.5)


def test_the_oldest_notes_are_left_out_where_there_are_too_many(streams, rows, monkeypatch):
    monkeypatch.setattr(past, "SHOWN_AT_MOST", 2)
    for minute in range(3):
        note(rows[0], 44 + minute, DAWN + timedelta(minutes=minute))
    said = streams("history", "ledger.spend", "--since=2026-11-01T00:00:00Z")
    assert "00:00:00 UTC  orders/0" not in said.text
    assert "00:02:00 UTC  orders/0" in said.text and "! Only the newest" in said.text


def test_positions_of_kinesis_are_written_as_everywhere(streams, settings):
    settings.STREAMAPP = kinesis.SETTINGS
    row = kinesis.split()[0]
    note(row, row.position, DAWN)
    said = streams("history", "shipping.ship", "--since=2026-11-01T00:00:00Z").text
    assert f"after {kinesis.SEQUENCE}" in said


def test_no_note_says_when_there_will_be_one(streams, rows):
    said = streams("history", "ledger.spend")
    assert (said.code, "Workers write one a minute" in said.text) == (0, True)


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("ledger.spent",), "ledger.spent"),
        (("shipping.ship",), "no checkpoint yet"),
        (("ledger.spend", "--shard", "orders/9"), "no checkpoint of a shard orders/9"),
        (("ledger.spend", "--since", "latest"), "is no moment"),
        (("ledger.spend", "--since", "2026-11-01T00:00:00"), "has no time zone"),
        (("ledger.spend", "--since", "2126-01-01T00:00:00Z"), "is in the future"),
    ],
)
def test_what_can_not_be_shown_ends_with_1_and_a_sentence(streams, rows, words, sentence):
    said = streams("history", *words)
    assert (said.code, sentence in said.error) == (1, True), said
