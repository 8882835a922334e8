"""Kinesis in the admin: readable positions, what waits for what, what is finished or gone, the lag."""

import re
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import strip_tags

from streamapp.brokers.kinesis import packing
from streamapp.models import Checkpoint, Quarantined, RewoundShard
from streamapp.positions import SHARD_END
from streamapp.records import Record, Shard
from tests.admin import kinesis
from tests.admin.kinesis import LOWER, PARENT, SEQUENCE, UPPER, sample
from tests.admin.scenes import DAWN, STORE, hold, worker

PACKED = str(packing.RECORDS)[:30]
LIST = "checkpoint/"


@pytest.fixture
def rows(mounted, settings):
    settings.STREAMAPP = kinesis.SETTINGS
    return kinesis.split()


def page(client, path, **query):
    response = client.get(f"/admin/streamapp/{path}", query)
    assert response.status_code == 200, path
    text = response.content.decode()
    assert PACKED not in text, "a packed position is nothing for people"
    return text


def test_the_list_shows_positions_lag_and_the_age_of_the_sample(looker, rows):
    worker(rows[:1], "shipping.ship")
    sample(rows[0], None, 61_000)
    text = page(looker, LIST)
    assert f"after {SEQUENCE}" in text and "2026-11-30T00:53:20.000Z" in text
    assert re.search(r"1 min 1 s</span><br><small[^>]*>\d+ s ago", text)


def test_a_child_shows_the_parent_and_the_record_that_it_waits_for(looker, rows):
    hold(rows[0], packing.at(SEQUENCE + 9))
    for path in (LIST, f"{LIST}{rows[1].pk}/change/"):
        text = page(looker, path)
        assert "waits for" in text
        assert f"{PARENT} (held at {SEQUENCE + 9}: unknown carrier)" in strip_tags(text) or path == LIST
        assert f'title="{PARENT} (held at {SEQUENCE + 9}: unknown carrier)"' in text or path != LIST


def test_the_record_that_a_child_waits_for_is_one_click_away_for_who_may_see_records(
    admin_client, looker, rows
):
    hold(rows[0], packing.at(SEQUENCE + 9))
    asked = urlencode({"shard": rows[0].pk, "at": SEQUENCE + 9}).replace("&", "&amp;")
    own = f"subscription/{rows[0].subscription_id}/change/"
    for path, times in ((LIST, 2), (f"{LIST}{rows[1].pk}/change/", 2), (own, 5)):
        assert page(admin_client, path).count(f'?{asked}">') == times, path
        assert asked not in page(looker, path), path


def test_a_list_shows_both_ends_of_a_sequence_number_and_a_page_the_whole(looker, rows):
    assert f'title="after {SEQUENCE}">after 4965…0530740226<' in page(looker, LIST)
    assert f">after {SEQUENCE}<" in page(looker, f"{LIST}{rows[0].pk}/change/")


def test_a_finished_shard_says_so_and_has_no_lag(looker, rows):
    sample(rows[0], 0, 0)
    assert ">0 records<" in page(looker, LIST)
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=SHARD_END)
    text = page(looker, LIST)
    assert ">finished<" in text and "SHARD_END" in text
    assert ">0 records<" not in text and "waits for" not in text


def test_a_retired_shard_says_since_when(looker, rows):
    Checkpoint.objects.filter(pk=rows[0].pk).update(retired_at=timezone.now() - timedelta(hours=3))
    assert ">retired<" in page(looker, LIST)
    assert "left its stream 3 h 0 min ago" in page(looker, LIST)


def test_only_shards_that_somebody_should_read_are_missing_a_worker(looker, rows):
    def unread():
        return re.findall(r">shipments/(\S+?)</span></a>", page(looker, LIST, attention="unread"))

    assert unread() == [PARENT]
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=SHARD_END)
    assert unread() == [LOWER, UPPER]
    Checkpoint.objects.filter(pk=rows[1].pk).update(retired_at=DAWN)
    assert unread() == [UPPER]


def test_held_and_quarantined_records_have_readable_places(looker, rows):
    hold(rows[0], packing.at(SEQUENCE + 9))
    assert f"{SEQUENCE + 9}: unknown carrier" in strip_tags(page(looker, f"{LIST}{rows[0].pk}/change/"))
    record = Record(Shard("shipments", PARENT, "made"), packing.at(SEQUENCE, 2), b"{")
    STORE.records.quarantine("shipping.ship", record, "cut")
    place = f"shipments/{PARENT}@{SEQUENCE}/2"
    listed = f'title="{SEQUENCE}/2">shipments/{PARENT}@4965032671…30740226/2<'
    assert listed in page(looker, "quarantined/")
    assert place in page(looker, f"quarantined/{Quarantined.objects.get().pk}/change/")


def test_no_row_writes_a_packed_position_where_its_broker_is_not_at_hand(rows):
    hold(rows[0], packing.at(SEQUENCE))
    STORE.records.quarantine("gone", Record(rows[0].key, packing.at(SEQUENCE), b"{"), "cut")
    written = [
        rows[0].held.get(),
        Quarantined.objects.get(),
        RewoundShard(checkpoint=rows[0], old_position=packing.at(SEQUENCE)),
    ]
    assert not [str(row) for row in written if PACKED in str(row)]


def test_a_position_of_a_broker_that_the_settings_lack_is_a_question_mark(looker, rows, settings):
    settings.STREAMAPP = {}
    assert 'title="?">?</span>' in page(looker, LIST)


def test_a_subscription_sums_up_its_shards(looker, rows):
    sample(rows[0], 5, 61_000)
    sample(rows[1], 7, 0)
    text = page(looker, "subscription/")
    assert ">12 records<" in text and ">1 min 1 s<" in text
    sample(rows[1], None, 0)
    text = page(looker, "subscription/")
    assert not re.search(r"\d records<", text) and ">1 min 1 s<" in text, "a part of the records is no sum"


def test_what_the_shards_of_a_page_wait_for_takes_one_query(looker, rows):
    with CaptureQueriesContext(connection) as queries:
        page(looker, LIST)
    assert len(queries) <= 9
