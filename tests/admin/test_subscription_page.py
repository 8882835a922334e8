"""The page of a subscription: the worst shards first, what is held, what waits for what, and the past."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import strip_tags

from streamapp.brokers.kinesis import packing
from streamapp.models import Checkpoint, History, Trend
from streamapp.positions import SHARD_END
from streamapp.records import Shard
from streamapp.store.lags import Sample
from tests.admin import kinesis
from tests.admin.kinesis import LOWER, PARENT, SEQUENCE
from tests.admin.scenes import DAWN, STORE, hold, started, worker
from tests.admin.test_pages import page


def own(rows):
    return f"subscription/{rows[0].subscription_id}/"


def live(client, rows):
    return "".join(page(client, f"{own(rows)}change/", fragment=part) for part in ("figures", "shards"))


def shards(text):
    return re.findall(r'<th scope="row"><a[^>]*>(\S+?)</a>', text.rpartition("Shards</h2>")[2])


def charts(client, path, **query):
    answered = client.get(f"/admin/streamapp/{path}plot/", query).json()
    return answered, {chart["title"]: chart for chart in answered["charts"]}


def ago(**time):
    return timezone.now() - timedelta(**time)


def note(row, position, moment, records=None, milliseconds=None):
    History.objects.create(
        checkpoint=row, position=position, records=records, milliseconds=milliseconds, sampled_at=moment
    )


def test_shards_that_hold_come_first_then_unread_ones_then_those_that_are_the_furthest_behind(looker):
    rows = started("ledger.spend", {Shard("orders", str(number)): 70 for number in range(5)})
    worker(rows[:4])
    lags = {0: (5, 100), 1: (9000, 90_000), 2: (900, None), 3: (1, 0)}
    STORE.lags.write([Sample(rows[n].pk, 70, *lag) for n, lag in lags.items()])
    hold(rows[3], 70)
    assert shards(live(looker, rows)) == [f"orders/{n}" for n in (3, 4, 1, 0, 2)]


def test_a_shard_shows_owner_epoch_position_and_lag(looker, rows):
    worker(rows[:1])
    STORE.lags.write([Sample(rows[0].pk, 70, 1200, 61_000)])
    text = live(looker, rows)
    assert ">alive<" in text and "1,200 records" in text and ">70<" in text
    assert re.search(r'data-label="Epoch"[^>]*><div>1</div>', text)


def test_many_shards_come_in_pages_and_take_as_many_queries_as_few(looker):
    counts = []
    for number in (3, 230):
        rows = started("ledger.spend", {Shard("orders", str(n)): 1 for n in range(number)})
        with CaptureQueriesContext(connection) as queries:
            text = live(looker, rows)
        counts.append(len(queries))
    assert "Page 1 of 10" in text and len(shards(text)) == 25
    assert counts[0] == counts[1] <= 25


def test_turning_pages_keeps_the_period_and_leaves_the_fragment_behind(looker):
    rows = started("ledger.spend", {Shard("orders", str(n)): 1 for n in range(30)})
    text = page(looker, f"{own(rows)}change/", fragment="shards", period="day")
    assert 'href="?period=day&amp;page=2"' in text


def test_finished_shards_are_left_out(looker, rows):
    Checkpoint.objects.filter(pk=rows[1].pk).update(position=SHARD_END)
    assert shards(live(looker, rows)) == ["orders/0", "orders/2"]


def test_held_records_are_listed_with_their_reasons_and_harmless(looker, rows):
    hold(rows[0], 74, "no <carrier>")
    text = live(looker, rows)
    assert "Held records" in text and ">74<" in text and "no &lt;carrier&gt;" in text


def test_lineage_says_what_waits_for_what_and_for_which_record(looker, mounted, settings):
    settings.STREAMAPP = kinesis.SETTINGS
    rows = kinesis.split()
    hold(rows[0], packing.at(SEQUENCE + 9))
    text = live(looker, rows)
    lineage = text.partition("Lineage")[2].partition("Shards</h2>")[0]
    assert LOWER in lineage and f"{PARENT} (held at 4965…" not in strip_tags(lineage)
    assert f"{PARENT} (held at 4965032671…0530740235: unknown carrier)" in strip_tags(lineage)
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=SHARD_END)
    lineage = live(looker, rows).partition("Lineage")[2].partition("Shards</h2>")[0]
    assert ">open<" in lineage and "held at" not in lineage


def test_without_splits_nothing_is_said_of_lineage(looker, rows):
    assert "Lineage" not in live(looker, rows)


def test_the_whole_page_has_figures_plots_and_a_way_back(looker, rows):
    text = page(looker, f"{own(rows)}change/", period="day")
    assert f'data-streamapp-plots="/admin/streamapp/{own(rows)}plot/?period=day"' in text
    assert "/subscription/overview/" in text and "streamapp-figures" in text
    assert not re.search(r"<script(?![^>]*\bsrc=)", text.split('id="content"', 1)[1])


def test_the_plots_of_a_subscription_come_from_its_totals(looker, rows):
    for minutes, handled in ((3, 600), (2, 120), (1, 60)):
        minute = ago(minutes=minutes).replace(second=0, microsecond=0)
        Trend.objects.create(
            subscription=rows[0].subscription, minute=minute, handled=handled, records=9, milliseconds=1500
        )
    answered, found = charts(looker, own(rows))
    assert answered["end"] - answered["begin"] == 3600
    assert [line["values"] for line in found["Rate, records a second"]["lines"]] == [[10.0, 2.0, None]]
    assert found["Lag in records"]["lines"][0]["values"] == [9, 9, 9]
    assert found["Lag in seconds"]["lines"][0]["values"] == [1.5, 1.5, 1.5]


def test_a_day_is_drawn_with_a_point_for_five_minutes_the_highest_lag_of_them(looker, rows):
    begin = ago(hours=3).replace(minute=0, second=0, microsecond=0)
    for minute in range(10):
        Trend.objects.create(
            subscription=rows[0].subscription,
            minute=begin + timedelta(minutes=minute),
            handled=60,
            records=minute,
        )
    _, found = charts(looker, own(rows), period="day")
    assert found["Lag in records"]["lines"][0]["values"] == [4, 9]
    assert found["Rate, records a second"]["lines"][0]["values"] == [1.0, None]
    assert charts(looker, own(rows))[1] == {}, "three hours ago is not within the last one"


def test_positions_are_drawn_as_records_passed_and_a_rewind_falls(looker, rows):
    for position, minutes in ((50, 30), (70, 20), (40, 10)):
        note(rows[0], position, ago(minutes=minutes))
    _, found = charts(looker, own(rows))
    [passed] = [line for line in found["Records passed, by shard"]["lines"] if line["label"] == "orders/0"]
    assert passed["values"] == [0, 20, -10]


def test_the_page_of_a_shard_draws_its_position_and_lag(looker, rows):
    note(rows[0], 50, ago(minutes=30), 9, 2500)
    note(rows[0], 70, ago(minutes=20), 3, 500)
    path = f"checkpoint/{rows[0].pk}/"
    assert f'data-streamapp-plots="/admin/streamapp/{path}plot/?period=hour"' in page(
        looker, f"{path}change/"
    )
    _, found = charts(looker, path)
    lines = {title: chart["lines"][0]["values"] for title, chart in found.items()}
    assert lines == {"Position": [50, 70], "Lag in records": [9, 3], "Lag in seconds": [2.5, 0.5]}


def test_positions_that_do_not_count_records_are_not_drawn(looker, mounted, settings):
    settings.STREAMAPP = kinesis.SETTINGS
    rows = kinesis.split()
    note(rows[0], packing.at(SEQUENCE), ago(minutes=3), None, 500)
    assert list(charts(looker, f"checkpoint/{rows[0].pk}/")[1]) == ["Lag in seconds"]
    assert charts(looker, own(rows))[1] == {}


@pytest.mark.parametrize("path", ["subscription", "checkpoint"])
def test_figures_are_for_those_who_may_look_and_of_rows_that_are_there(
    looker, client, django_user_model, rows, path
):
    assert looker.get(f"/admin/streamapp/{path}/999/plot/").status_code == 404
    client.force_login(django_user_model.objects.create_user("stranger", is_staff=True))
    pk = rows[0].pk if path == "checkpoint" else rows[0].subscription_id
    for page_of in ("plot", "change"):
        answer = client.get(f"/admin/streamapp/{path}/{pk}/{page_of}/", {"fragment": "shards"})
        assert answer.status_code == 403


def test_looking_writes_nothing(looker, rows):
    hold(rows[0], 70)
    note(rows[0], 50, DAWN)
    with CaptureQueriesContext(connection) as queries:
        page(looker, f"{own(rows)}change/")
        charts(looker, own(rows))
        charts(looker, f"checkpoint/{rows[0].pk}/")
    assert not [each for each in queries if not each["sql"].startswith("SELECT")]
