"""From one page to the next: workers and their shards, and to a rewind from where one looks."""

import re
from uuid import uuid4

from streamapp.records import Record, Shard
from tests.admin.scenes import STORE, position_of, started, worker
from tests.admin.test_pages import page
from tests.admin.wizard import ASK, REVIEW, SCOPE, apply, fields


def shards(text):
    return re.findall(r">(orders/\d)</span></a>", text)


def way(text):
    [link] = re.findall(r'href="([^"]*/rewind/\?[^"]*)"', text)
    return link.replace("&amp;", "&")


def test_a_worker_leads_to_its_shards_and_back(looker, rows):
    identity = worker(rows[:2])
    assert f"?worker={identity}" in page(looker, "worker/")
    text = page(looker, "checkpoint/", worker=str(identity))
    assert shards(text) == ["orders/0", "orders/1"]
    assert f"/admin/streamapp/worker/{identity}/change/" in text


def test_a_worker_that_is_none_has_no_shards(looker, rows):
    worker(rows)
    assert shards(page(looker, "checkpoint/", worker=str(uuid4()))) == []
    assert shards(page(looker, "checkpoint/", worker="nobody")) == []


def test_a_subscription_leads_to_its_quarantine(looker, rows):
    STORE.records.quarantine("ledger.spend", Record(Shard("orders", "0"), 4, b"{"), "cut")
    [pk] = {row.subscription_id for row in rows}
    link = '/admin/streamapp/quarantined/?subscription=ledger.spend">1</a>'
    assert link in page(looker, f"subscription/{pk}/change/")


def test_a_rewind_begins_on_the_page_of_a_subscription_or_a_shard(operator, rows):
    [subscription] = {row.subscription_id for row in rows}
    for path, moved in (
        (f"subscription/{subscription}/change/", rows),
        (f"checkpoint/{rows[1].pk}/change/", rows[1:2]),
    ):
        asked = operator.get(way(page(operator, path)))
        if "shown" in fields(asked):
            asked = operator.post(
                SCOPE, fields(asked) | {"ticked": [row.pk for row in rows], "step": "target"}
            )
        reviewed = operator.post(REVIEW, fields(asked) | {"kind": "ago", "ago": "36500d"})
        assert [line.checkpoint for line in reviewed.context["plan"].lines] == [row.pk for row in moved]
    apply(operator, reviewed)
    assert [position_of(row) for row in rows] == [70, 40, 70]


def test_who_may_not_rewind_is_not_led_there(looker, rows):
    assert "rewind/?" not in page(looker, f"checkpoint/{rows[1].pk}/change/")
    assert looker.get(ASK, {"subscription": "ledger.spend"}).status_code == 403


def test_a_subscription_without_checkpoints_has_nothing_to_rewind(operator, rows):
    started("shipping.ship", {})
    answer = operator.get(ASK, {"subscription": "shipping.ship"}, follow=True)
    assert "There is no checkpoint to rewind" in answer.content.decode()
