"""`manage.py streams quarantine` and `delayed`: the same words as for dead letters."""

import json

import pytest

from streamapp.models import AuditEntry, DeadLetter, DelayedRecord, LocalRecord, Quarantined
from streamapp.records import Record
from tests.admin.scenes import SETTINGS, STORE, fail, log, started

VALUE = b'{"id": 1, "card": "visa-4111"}'
RAW = b"{cut: visa-4111"
TABLES = {"quarantine": Quarantined, "delayed": DelayedRecord}
BOTH = pytest.mark.parametrize("name", TABLES)


@pytest.fixture
def records(streams):
    """Three quarantined records, and three copies of which their handler holds one."""
    rows = started("ledger.spend", dict.fromkeys(log(first=40, end=90), 70))
    for position in (71, 72, 73):
        STORE.records.quarantine("ledger.spend", Record(rows[0].key, position, RAW, b"k"), "cut short")
        fail("ledger.spend", Record(rows[0].key, position + 10, VALUE, b"k"))
    DeadLetter.objects.all().delete()
    DelayedRecord.objects.filter(position=82).update(due_at=None, held_reason="no carrier")
    return {name: list(model.objects.order_by("pk")) for name, model in TABLES.items()}


@BOTH
def test_without_any_the_list_says_so(streams, name):
    unit = {"quarantine": "quarantined", "delayed": "delayed"}[name]
    assert streams(name, "list").text == f"No {unit} record.\n"


@BOTH
def test_listing_and_showing(streams, records, name):
    first = records[name][0]
    text = streams(name, "list").text
    assert f"orders/0@{first.position}" in text and first.reason[:20] in text and "visa-4111" not in text
    listed = json.loads(streams(name, "list", "--json", "--limit", "2").text)
    assert [row["id"] for row in listed] == [row.pk for row in records[name][:2]]
    shown = streams(name, "show", first.pk).text
    assert "visa-4111" in shown and f"orders/0@{first.position}" in shown


def test_what_cannot_be_decoded_is_shown_raw_with_why(streams, records):
    (shown,) = json.loads(streams("quarantine", "show", records["quarantine"][0].pk, "--json").text)
    assert (shown["value"], shown["reason"]) == (RAW.decode(), "cut short")
    assert "type refuses it" in shown["problem"]


@BOTH
def test_exporting_hides_what_mask_hides(streams, records, settings, name):
    assert len(streams(name, "export").text.splitlines()) == 3
    mounts = SETTINGS["SUBSCRIPTIONS"]
    masked = {**mounts["ledger.spend"], "MASK": ["card"]}
    settings.STREAMAPP = {**SETTINGS, "SUBSCRIPTIONS": {**mounts, "ledger.spend": masked}}
    text = streams(name, "export").text
    assert "visa-4111" not in text and "(masked)" in text


@BOTH
@pytest.mark.parametrize(
    "words", [("redeliver",), ("redeliver", "--to-source"), ("purge", "--reason", "a test")]
)
def test_a_dry_run_changes_nothing_and_the_deed_leaves_its_trail(streams, records, name, words):
    pk = records[name][0].pk
    before = (Quarantined.objects.count(), DelayedRecord.objects.count(), LocalRecord.objects.count())
    for more in ((), ("--json",)):
        assert streams(name, words[0], pk, *words[1:], "--dry-run", *more).code == 0
    after = (Quarantined.objects.count(), DelayedRecord.objects.count(), LocalRecord.objects.count())
    assert (after, AuditEntry.objects.count()) == (before, 0)
    assert "1 of 1" in streams(name, words[0], pk, *words[1:], "--execute").text
    assert AuditEntry.objects.get().subscription == "ledger.spend"
    model = TABLES[name]
    stays = name == "delayed" and words == ("redeliver",)
    assert model.objects.filter(pk=pk).exists() == stays


def test_a_redelivered_one_is_a_delayed_record_that_is_due(streams, records):
    assert streams("quarantine", "redeliver", records["quarantine"][0].pk, "--execute").code == 0
    row = DelayedRecord.objects.get(position=71)
    assert (bytes(row.value), row.attempt, row.due_at is not None) == (RAW, 1, True)


def test_held_copies_are_listed_redelivered_and_skipped(streams, records):
    (held,) = json.loads(streams("delayed", "list", "--held", "--json").text)
    assert (held["held_reason"], held["due_at"]) == ("no carrier", None)
    assert "held" in streams("delayed", "list").text
    said = streams("delayed", "skip", "--execute")
    assert (said.code, "needs a reason" in said.error) == (2, True)
    said = streams("delayed", "skip", "--reason", "gone", "--execute")
    assert (said.code, said.text) == (0, "1 of 1 delayed record done.\n")
    assert not DelayedRecord.objects.filter(position=82).exists()
    assert DelayedRecord.objects.count() == 2
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.reason, entry.new) == ("skip", "gone", "skipped")


def test_what_waits_for_its_time_is_not_skipped(streams, records):
    waiting = records["delayed"][0]
    said = streams("delayed", "skip", waiting.pk, "--reason", "gone", "--execute")
    assert (said.code, "it isn't held" in said.text) == (1, True)
    assert DelayedRecord.objects.count() == 3


def test_a_wrong_number_and_a_missing_word_are_told(streams, records):
    said = streams("quarantine", "show", 99999)
    assert (said.code, "No such quarantined record: 99999" in said.error) == (1, True)
    assert streams("quarantine", "purge", "--reason", "a test").code != 0
    assert Quarantined.objects.count() == 3
