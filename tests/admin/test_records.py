"""The page of records: what it shows, to whom, and what leads to it."""

import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest

from streamapp.brokers.kinesis import packing
from streamapp.brokers.local import LocalBroker
from streamapp.exceptions import BrokerUnavailable
from streamapp.models import AlertKind, Checkpoint, HeldRecord, LocalRecord, Quarantined
from streamapp.positions import SHARD_END, Earliest
from streamapp.records import Record
from streamapp.services import rewind
from streamapp.store.alerts import Warned
from streamapp.store.skips import Skipped
from tests.admin import kinesis
from tests.admin.kinesis import SEQUENCE, sample
from tests.admin.scenes import SETTINGS, STORE, hold, subscription, worker
from tests.admin.test_lineage_pages import PACKED
from tests.admin.test_pages import page

RECORDS = "checkpoint/records/"
EVIL = b'{"name": "</pre><script>alert(1)</script>", "iban": "DE02"}'


class DownBroker(LocalBroker):
    """A broker that doesn't answer."""

    def peek(self, *_):
        raise BrokerUnavailable("Kafka didn't tell what there is. It may be asked again.")


class ForwardBroker(LocalBroker):
    """A broker whose positions don't count records, as those of Kinesis."""

    def records_between(self, *_):
        return None


def places(text):
    """Return the places of the records on the page; the one that was asked for is marked."""
    return [
        f"{'>' if 'streamapp-here' in kind else ''}{unescape(place)}"
        for kind, place in re.findall(r'<section class="([^"]*)">\s*<h3><a [^>]*>([^<]*)<', text)
    ]


def links(text, words):
    """Return the queries of the links to records with these words in them."""
    found = re.findall(r'<a href="([^"]*/records/\?[^"]*)"[^>]*>((?:(?!</a>).)*)</a>', text, re.DOTALL)
    return [parse_qs(urlsplit(unescape(url)).query) for url, inside in found if words in inside]


def stored(value, **more):
    LocalRecord.objects.filter(partition__number=0, offset=70).update(value=value, **more)


def masked(settings, *mask):
    mounted = {**SETTINGS["SUBSCRIPTIONS"]["ledger.spend"], "MASK": mask}
    settings.STREAMAPP = {**SETTINGS, "SUBSCRIPTIONS": {"ledger.spend": mounted}}


def test_a_record_is_shown_between_its_neighbours_with_ways_on(reader, rows):
    stored(b'{"amount": 5}', key=b"customer 7", headers={"trace": "YWJj"})
    text = page(reader, RECORDS, shard=rows[0].pk, at=70, before=2, after=2)
    assert places(text) == ["68", "69", ">70", "71"]
    for shown in (
        "&quot;amount&quot;: 5",
        "customer 7",
        "<dt>trace</dt><dd><pre>abc</pre>",
        "13 bytes, decoded",
    ):
        assert shown in text
    assert re.search(r"2026-10-31 20:10:00 CDT", text)
    earlier, later = links(text, "Earlier")[0], links(text, "Later")[0]
    assert places(page(reader, RECORDS, **earlier)) == [">64", "65", "66", "67"]
    assert places(page(reader, RECORDS, **later)) == [">72", "73", "74", "75"]


def test_without_a_place_the_page_asks_for_one_and_offers_the_ways(reader, rows):
    text = page(reader, RECORDS, shard=rows[0].pk)
    assert "Nothing is shown yet." in text
    assert [query["at"] for query in links(text, "")] == [["earliest"], ["-1h"], ["-5m"], ["latest"]]
    assert "at most 200 records, 4 MiB, 10 s" in text and places(text) == []


def test_the_tail_and_a_moment_are_ways_to_a_record(reader, rows):
    assert places(page(reader, RECORDS, shard=rows[0].pk, at="latest", before=2)) == ["88", "89"]
    found = page(reader, RECORDS, shard=rows[0].pk, at="2026-11-01T01:09:30Z", before=0, after=1)
    assert places(found) == [">70"]


def test_nothing_of_a_record_is_taken_for_markup(reader, rows):
    stored(EVIL, key=EVIL, headers={"<script>alert(2)</script>": "PHNjcmlwdD4="})
    text = page(reader, RECORDS, shard=rows[0].pk, at=70)
    assert "<script>alert" not in text
    assert "&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "&lt;script&gt;alert(2)&lt;/script&gt;" in text and "<pre>&lt;script&gt;</pre>" in text


def test_masked_fields_are_nowhere_on_the_page_and_are_named(reader, rows, settings):
    stored(EVIL, key=EVIL)
    assert "DE02" in page(reader, RECORDS, shard=rows[0].pk, at=70)
    masked(settings, "iban")
    text = page(reader, RECORDS, shard=rows[0].pk, at=70)
    assert "DE02" not in text and "(masked)" in text
    assert "Masked: iban" in text


@pytest.mark.parametrize(
    "at, said",
    [
        ("x", "is not a position"),
        ("1@70", "names no partition"),
        ("2026-11-01T00:00:00", "has no time zone"),
        ("-999999999d", "before the year 1"),
        ("9" * 200, "is not a position"),
        ("", "This field is required"),
    ],
)
def test_what_is_no_place_is_an_error_at_the_field(reader, rows, at, said):
    text = unescape(page(reader, RECORDS, shard=rows[0].pk, at=at))
    assert said in text.split('id="id_at"')[0]
    assert places(text) == []


def test_more_than_a_look_may_bring_is_refused(reader, rows):
    text = page(reader, RECORDS, shard=rows[0].pk, at=70, after=101)
    assert "less than or equal to 100" in text and places(text) == []


def test_a_broker_that_does_not_answer_is_said_so(reader, rows, settings):
    down = {"BACKEND": "tests.admin.test_records.DownBroker"}
    settings.STREAMAPP = {**SETTINGS, "BROKERS": {"local": down}}
    text = unescape(page(reader, RECORDS, shard=rows[0].pk, at=70))
    assert '<p class="errornote">Kafka didn\'t tell what there is.' in text


def test_a_subscription_that_is_not_mounted_any_more_is_said_so(reader, rows, settings):
    settings.STREAMAPP = {**SETTINGS, "SUBSCRIPTIONS": {}}
    assert "is not in STREAMAPP" in page(reader, RECORDS, shard=rows[0].pk, at=70)


def test_where_positions_do_not_count_the_page_goes_forward_only_and_says_what_it_costs(
    reader, rows, settings
):
    settings.STREAMAPP = {
        **SETTINGS,
        "BROKERS": {"local": {"BACKEND": "tests.admin.test_records.ForwardBroker"}},
    }
    asked = page(reader, RECORDS, shard=rows[0].pk)
    assert "Records in front" not in asked
    assert [query["at"] for query in links(asked, "")] == [["earliest"], ["-1h"], ["-5m"]]
    text = page(reader, RECORDS, shard=rows[0].pk, at=70, before=5, after=2)
    assert places(text) == [">70", "71"] and not links(text, "Earlier")
    for told in (asked, text):
        assert "a look goes forward only" in told and "gives 5 a second to all its consumers" in told


@pytest.mark.parametrize("shard", ["", "x", "0", "999999", "9" * 30, "²"])
def test_a_shard_without_a_checkpoint_is_not_found(reader, rows, shard):
    assert reader.get(f"/admin/streamapp/{RECORDS}", {"shard": shard, "at": 70}).status_code == 404


def test_the_shard_of_another_subscription_is_refused_by_the_form(reader, rows):
    [other] = [row.pk for row in rows[1:2]]
    Checkpoint.objects.filter(pk=other).update(subscription=STORE.subscriptions.ensure(_ship()))
    text = page(reader, RECORDS, shard=rows[0].pk, at=70)
    assert f'<option value="{other}"' not in text


def _ship():
    from streamapp import registry

    return registry.mount("shipping.ship")


def everything(rows):
    """Let every page show positions."""
    identity = worker(rows)
    hold(rows[0], 74)
    STORE.alerts.replace(identity, [Warned(rows[0].pk, AlertKind.STUCK, 75, 300)])
    STORE.skips.add(Skipped(rows[0].pk, 1, 76, 77, 1, "earliest"))
    STORE.records.quarantine("ledger.spend", Record(rows[0].key, 78, b"{"), "cut")
    sample(rows[0], 1, 1)
    moved = rewind.apply(rewind.plan_mounted("ledger.spend", Earliest()), origin="test")
    hold(rows[0], 74)
    return {
        "checkpoint/": {"40"},
        f"checkpoint/{rows[0].pk}/change/": {"40", "70", "74", "75", "77"},
        f"subscription/{rows[0].subscription_id}/change/": {"75", "77"},
        f"worker/{identity}/change/": {"75"},
        f"rewind/{moved.pk}/change/": {"70", "40"},
        "skip/": {"76", "77"},
        f"heldrecord/{HeldRecord.objects.get().pk}/change/": {"74"},
        f"quarantined/{Quarantined.objects.get().pk}/change/": {"78"},
    }


def test_every_position_leads_to_its_record(reader, rows):
    for name, positions in everything(rows).items():
        found = {query["at"][0] for query in links(page(reader, name), "") if "at" in query}
        assert found == positions, name
    [query] = links(page(reader, f"checkpoint/{rows[0].pk}/change/"), "74")
    assert ">74" in places(page(reader, RECORDS, **query))


@pytest.mark.parametrize("who", ["looker", "operator"])
def test_who_may_not_see_records_gets_no_link_and_403(request, rows, who):
    client = request.getfixturevalue(who)
    for name in everything(rows):
        assert "/records/" not in page(client, name), name
    for query in ({}, {"shard": rows[0].pk, "at": 70}):
        assert client.get(f"/admin/streamapp/{RECORDS}", query).status_code == 403


def test_whoever_is_not_logged_in_is_sent_to_the_login(client, rows):
    answer = client.get(f"/admin/streamapp/{RECORDS}", {"shard": rows[0].pk, "at": 70})
    assert answer.status_code == 302 and "/login/" in answer["Location"]


def test_the_page_is_kept_by_no_cache(reader, rows):
    answer = reader.get(f"/admin/streamapp/{RECORDS}", {"shard": rows[0].pk, "at": 70})
    assert "no-store" in answer["Cache-Control"]


def test_a_finished_shard_has_no_record_to_lead_to(reader, rows):
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=SHARD_END)
    assert links(page(reader, f"checkpoint/{rows[0].pk}/change/"), "SHARD_END") == []


def test_positions_of_kinesis_are_links_that_people_can_read(reader, settings, mounted):
    settings.STREAMAPP = kinesis.SETTINGS
    rows = kinesis.split()
    hold(rows[0], packing.at(SEQUENCE + 9, 2))
    text = page(reader, f"checkpoint/{rows[0].pk}/change/")
    assert PACKED not in text
    found = {query["at"][0] for query in links(text, "") if "at" in query}
    assert found == {f"after {SEQUENCE}", f"{SEQUENCE + 9}/2"}
    assert [packing.read(place) for place in sorted(found)] == [
        packing.at(SEQUENCE + 9, 2),
        packing.after(packing.at(SEQUENCE)),
    ]


@pytest.mark.urls("tests.admin.own_site")
def test_links_stay_inside_of_a_site_of_the_projects_own(django_user_model, client, rows):
    client.force_login(django_user_model.objects.create_superuser("root"))
    text = client.get(f"/operations/streamapp/checkpoint/{rows[0].pk}/change/").content.decode()
    assert links(text, "70")
    found = re.findall(r'href="([^"]*records/[^"]*)"', text)
    assert all(url.startswith("/operations/") for url in found)
    shown = client.get(unescape(found[-1])).content.decode()
    assert shown.count("/operations/streamapp/checkpoint/records/") >= 4
    assert subscription("ledger.spend").name in shown
