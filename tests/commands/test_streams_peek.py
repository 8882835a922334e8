"""`streams peek`: records in a terminal, and the same for programs."""

import json
import re

import pytest

from streamapp.models import LocalRecord
from tests.admin.scenes import SETTINGS, log


@pytest.fixture
def records(streams):
    log()
    LocalRecord.objects.filter(partition__number=0, offset=70).update(
        value=b'{"iban": "DE02", "text": "\xc2\x9b\\u001b[2J"}', key=b"customer 7", headers={"trace": "YWJj"}
    )


def test_a_record_is_shown_with_its_neighbours_key_headers_and_time(streams, records):
    text = streams("peek", "ledger.spend", "0@70", "--before", 1, "--after", 2).text
    assert text.startswith("ledger.spend  orders/0 at 70: 3 records\n")
    assert re.findall(r"^([> ]) (\d+)  2026-10-31 20:\d\d:00 CDT  key (.*)$", text, re.MULTILINE) == [
        (" ", "69", "null"),
        (">", "70", "customer 7"),
        (" ", "71", "null"),
    ]
    assert '      "iban": "DE02"' in text and "    trace: abc" in text
    assert "Earlier: 66" in text and "Later: 72" in text


def test_nothing_of_a_record_reaches_the_terminal_as_a_command(streams, records):
    text = streams("peek", "ledger.spend", "0@70").text
    assert "\x1b" not in text and "\x9b" not in text
    assert "\\x9b" in text


def test_masked_fields_are_not_shown_and_named(streams, records, settings):
    mounted = {**SETTINGS["SUBSCRIPTIONS"]["ledger.spend"], "MASK": ["iban", "trace"]}
    settings.STREAMAPP = {**SETTINGS, "SUBSCRIPTIONS": {"ledger.spend": mounted}}
    for form in ([], ["--json"]):
        text = streams("peek", "ledger.spend", "0@70", *form).text
        assert "DE02" not in text and "abc" not in text
        assert "(masked)" in text
    assert "Masked: iban, trace." in streams("peek", "ledger.spend", "0@70").text


def test_the_last_records_are_shown_without_a_place(streams, records):
    said = json.loads(streams("peek", "ledger.spend", "--shard", "orders/2", "--json").text)
    assert [record["place"] for record in said["records"]] == [str(number) for number in range(80, 90)]
    assert (said["subscription"], said["asked"], said["later"]) == ("ledger.spend", "90", "90")


@pytest.mark.parametrize("place", ["2026-11-01T01:10:00Z", "70", "-36500d", "earliest"])
def test_every_way_to_write_a_place_is_taken(streams, records, place):
    assert streams("peek", "ledger.spend", place, "--shard", "1").code == 0


@pytest.mark.parametrize(
    "words, said",
    [
        (["ledger.spend"], "with --shard. There is orders/0, orders/1, orders/2."),
        (["ledger.spend", "7@3"], "has no shard 7"),
        (["ledger.spend", "x", "--shard", "0"], "'x' is not a position"),
        (["ledger.spned", "0@1"], "Did you mean 'ledger.spend'"),
        (["ledger.spend", "0@1", "--after", "101"], "from 0 to 100"),
    ],
)
def test_what_can_not_be_looked_at_is_said_with_the_way_out(streams, records, words, said):
    answer = streams("peek", *words)
    assert answer.code != 0 and said in answer.error
