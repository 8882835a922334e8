"""What operators paused is seen wherever somebody looks first, with who, since when and why."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from streamapp.models import Pause
from streamapp.records import Shard
from streamapp.services.overview import overview
from streamapp.services.wording import moment
from tests.admin.scenes import DAWN, hold, started, worker
from tests.admin.test_controls import link, subscription_page
from tests.admin.test_pages import page

OVERVIEW = "subscription/overview/"
WHY = "The rates are being <corrected>."


def pause(row, *, alone=False, reason=WHY):
    Pause.objects.create(
        subscription_id=row.subscription_id,
        checkpoint=row if alone else None,
        reason=reason,
        paused_by="ann",
        paused_at=DAWN,
    )


def glance():
    [found] = overview("ledger.spend").glances
    return found


def own(rows):
    return f"subscription/{rows[0].subscription_id}/change/"


@pytest.mark.parametrize("where", ["overview", "its own page"])
def test_a_paused_subscription_says_who_paused_it_since_when_and_why(looker, rows, where):
    worker(rows)
    pause(rows[0])
    text = page(looker, OVERVIEW if where == "overview" else own(rows))
    assert ">paused</span>" in text
    assert f"paused by ann since {moment(DAWN)} because: The rates are being &lt;corrected&gt;." in text


def test_the_pause_of_one_is_not_the_pause_of_another(looker, rows):
    others = started("shipping.ship", {Shard("parcels", "0"): 5})
    worker([*rows, *others], "ledger.spend", "shipping.ship")
    pause(others[0])
    assert {each.name: str(each.state) for each in overview().glances} == {
        "ledger.spend": "running",
        "shipping.ship": "paused",
    }


def test_shards_paused_by_themselves_are_counted_and_leave_the_state_to_the_others(looker, rows):
    worker(rows)
    for row in rows[:2]:
        pause(row, alone=True)
    assert str(glance().state) == "running"
    [way] = re.findall(r'href="([^"]*)">2 shards are paused by themselves</a>', page(looker, OVERVIEW))
    listed = looker.get(way.replace("&amp;", "&")).context["cl"].result_list
    assert [row.pk for row in listed] == [row.pk for row in rows[:2]]


def test_the_shards_of_a_subscription_show_which_of_them_are_paused(looker, rows):
    worker(rows)
    pause(rows[1], alone=True)
    text = page(looker, own(rows), fragment="shards")
    [line] = [each for each in text.split("<tr>") if ">orders/1</a>" in each]
    assert ">paused</span>" in line and text.count(">paused</span>") == 1


@pytest.mark.parametrize(
    "paused, held, offered",
    [
        (False, False, {"Pause", "Rewind"}),
        (True, False, {"Resume", "Rewind"}),
        (False, True, {"Pause", "Redeliver held records", "Rewind"}),
    ],
)
def test_a_subscription_offers_what_there_is_a_reason_for(chief, rows, paused, held, offered):
    if paused:
        pause(rows[0])
    if held:
        hold(rows[0], 70)
    assert set(link(chief, subscription_page(rows[0]), "")) == offered


def test_the_reason_of_a_held_record_leads_to_the_ways_out(chief, rows):
    hold(rows[0], 70)
    [way] = re.findall(r'href="([^"]*)">unknown carrier</a>', page(chief, own(rows), fragment="figures"))
    assert set(link(chief, way, "")) == {"Skip a held record", "Redeliver held records"}


def test_looking_at_many_paused_shards_takes_as_many_queries_as_at_few(looker):
    counts = []
    for number in (2, 200):
        rows = started("ledger.spend", {Shard("orders", str(each)): 1 for each in range(number)})
        Pause.objects.all().delete()
        for row in rows:
            pause(row, alone=True)
        with CaptureQueriesContext(connection) as queries:
            page(looker, OVERVIEW)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 15
