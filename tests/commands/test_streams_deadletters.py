"""`manage.py streams deadletters`: the same as the admin does, for a terminal and for scripts."""

import json

import pytest

from streamapp import registry
from streamapp.copies import Copied
from streamapp.models import AuditEntry, DeadLetter, DelayedRecord, LocalRecord
from streamapp.records import Record, Shard
from tests.admin.scenes import DAWN, SETTINGS, fail, log, started

VALUE = b'{"id": 1, "card": "visa-4111"}'


@pytest.fixture
def letters(streams):
    rows = started("ledger.spend", dict.fromkeys(log(first=40, end=90), 70))
    for position in (71, 72, 73):
        fail("ledger.spend", Record(rows[0].key, position, VALUE, b"k"))
    DelayedRecord.objects.all().delete()
    return list(DeadLetter.objects.order_by("pk"))


def test_without_any_the_list_says_so(streams):
    assert streams("deadletters", "list").text == "No dead letter.\n"


def test_listing(streams, letters):
    text = streams("deadletters", "list").text
    assert "orders/0@71" in text and "ValueError('busy')" in text and "visa-4111" not in text
    shorter = streams("deadletters", "list", "--limit", "2").text
    assert "And 1 dead letter more: --limit 0 lists all." in shorter and "orders/0@73" not in shorter
    listed = json.loads(streams("deadletters", "list", "--json").text)
    assert [letter["place"] for letter in listed] == ["orders/0@71", "orders/0@72", "orders/0@73"]


def test_choosing(streams, letters):
    DeadLetter.objects.filter(position=71).update(created_at=DAWN)
    for words, expected in {
        ("--subscription", "shipping.ship"): [],
        ("--since", "-1h"): [72, 73],
        ("--since", "2026-10-01T00:00:00Z"): [71, 72, 73],
        (str(letters[1].pk),): [72],
    }.items():
        listed = json.loads(streams("deadletters", "list", *words, "--json").text)
        assert [int(letter["place"].rpartition("@")[2]) for letter in listed] == expected, words
    said = streams("deadletters", "list", "--since", "earliest")
    assert (said.code, "earliest is no moment" in said.error) == (1, True)
    said = streams("deadletters", "show", "99999")
    assert (said.code, "No such dead letter: 99999" in said.error) == (1, True)


def test_showing_and_exporting_hide_what_mask_hides(streams, letters, settings):
    assert '"card": "visa-4111"' in streams("deadletters", "show").text
    lines = streams("deadletters", "export").text.splitlines()
    assert [json.loads(line)["attempts"] for line in lines] == [letters[0].attempts] * 3
    mounts = SETTINGS["SUBSCRIPTIONS"]
    masked = {**mounts["ledger.spend"], "MASK": ["card"]}
    settings.STREAMAPP = {**SETTINGS, "SUBSCRIPTIONS": {**mounts, "ledger.spend": masked}}
    for word in ("show", "export"):
        text = streams("deadletters", word).text
        assert "visa-4111" not in text and "(masked)" in text
    assert json.loads(streams("deadletters", "export").text.splitlines()[0])["value_base64"] is None


@pytest.mark.parametrize(
    "words", [("redeliver",), ("redeliver", "--to-source"), ("purge", "--reason", "a test")]
)
def test_a_dry_run_changes_nothing_and_the_deed_leaves_its_trail(streams, letters, words):
    for more in ((), ("--json",)):
        assert streams("deadletters", *words, "--dry-run", *more).code == 0
    assert (DeadLetter.objects.count(), AuditEntry.objects.count()) == (3, 0)
    assert "3 of 3 dead letters done." in streams("deadletters", *words, "--execute").text
    assert not DeadLetter.objects.exists()
    assert {entry.action for entry in AuditEntry.objects.all()} <= {"redeliver", "publish", "purge"}
    assert DelayedRecord.objects.count() == (3 if words == ("redeliver",) else 0)
    assert LocalRecord.objects.filter(value=VALUE).count() == (3 if "--to-source" in words else 0)


def test_one_of_dry_run_and_execute_must_be_said(streams, letters):
    assert streams("deadletters", "purge", "--reason", "a test").code != 0
    assert DeadLetter.objects.count() == 3


def test_a_purge_without_a_reason_is_refused(streams, letters):
    said = streams("deadletters", "purge", "--execute")
    assert (said.code, "needs a reason" in said.error) == (2, True)
    assert DeadLetter.objects.count() == 3


def test_what_stays_is_named_and_the_exit_code_tells(streams, letters):
    first = letters[0]
    fail("ledger.spend", Record(Shard(first.stream, first.shard, first.incarnation), 71, VALUE))
    said = streams("deadletters", "redeliver", "--execute", "--json")
    told = json.loads(said.text)
    assert (said.code, told["done"], len(told["refused"])) == (1, 2, 1)
    assert "orders/0@71: another copy of it waits" in told["refused"][0]
    assert DeadLetter.objects.get().position == 71


def test_reading_a_dead_letter_stream(streams, letters):
    headers = {
        **Copied(8, "orders/0@71", DAWN, "no address").headers(),
        "streamapp-subscription": b'"ledger.spend"',
        "streamapp-exception": b'"builtins.ValueError"',
        "by": b"test",
    }
    broker = registry.broker("local")
    broker.publish("dead", VALUE, key=b"k", headers=headers)
    broker.publish("dead", VALUE, headers={"streamapp-subscription": b'"shipping.ship"'})
    words = ("--stream", "dead", "--subscription", "ledger.spend")
    (letter,) = json.loads(streams("deadletters", "list", *words, "--json").text)
    assert (letter["attempts"], letter["origin"], letter["reason"]) == (8, "orders/0@71", "no address")
    assert (letter["exception"], letter["headers"]) == ("builtins.ValueError", {"by": "test"})
    assert "no address" in streams("deadletters", "list", *words).text
    assert '"card": "visa-4111"' in streams("deadletters", "show", *words).text
    assert len(streams("deadletters", "export", *words).text.splitlines()) == 1
    said = streams("deadletters", "list", "--stream", "dead")
    assert (said.code, "give --subscription NAME" in said.error) == (1, True)
    said = streams("deadletters", "list", "--stream", "nowhere", "--subscription", "ledger.spend")
    assert (said.code, "has no stream nowhere" in said.error) == (1, True)
