"""In a real browser, with workers that run: what is reviewed is what happens, and only to who may."""

import pytest

from streamapp.models import Rewind
from tests.admin.every_row import dump
from tests.browser.stage import NAME, RECORDS, SHARDS

pytestmark = [pytest.mark.live("chromium"), pytest.mark.timeout(180)]
TARGETS = {
    "earliest": {"0": 0, "1": 0},
    "0@5": {"0": 5},
    "orders/1@7": {"1": 7},
    "-7d": {"0": 0, "1": 0},
}


@pytest.mark.parametrize("target", TARGETS)
def test_a_rewind_stores_what_the_review_shows_and_the_handler_gets_exactly_what_is_behind(
    stage, desk, target
):
    stage.start()
    operator = desk("rewind_checkpoint")
    operator.open_subscription(NAME)
    reviewed = operator.review(target, "wrong rate")
    assert reviewed == TARGETS[target]
    assert stage.stored() == dict.fromkeys(SHARDS, RECORDS), "a review moves nothing"
    stage.forget()

    operator.apply()

    assert dict(Rewind.objects.get().shards.values_list("checkpoint__shard", "new_position")) == reviewed
    stage.await_given({shard: list(range(place, RECORDS)) for shard, place in reviewed.items()})
    stage.await_stored(dict.fromkeys(SHARDS, RECORDS))
    operator.page.reload()
    operator.page.get_by_text(f"{len(reviewed)} of {len(reviewed)}").first.wait_for()


def test_who_may_only_look_sees_no_way_to_change_and_is_refused(stage, desk):
    stage.start()
    looker = desk()
    pages = []
    for open_page in (looker.open_subscription, looker.open_shard):
        open_page(NAME if open_page == looker.open_subscription else "orders/0")
        pages += looker.links()
    looker.page.goto("/admin/streamapp/checkpoint/")
    assert not looker.page.locator("select[name=action]").count()
    assert not [link for link in pages + looker.links() if "rewind/?" in link or "records/" in link]
    before = dump()

    for path in ("checkpoint/rewind/", "checkpoint/records/?shard=1&at=0"):
        assert looker.page.goto(f"/admin/streamapp/{path}").status == 403
    looker.page.goto("/admin/streamapp/checkpoint/")
    for step in ("review", "apply"):
        path = f"/admin/streamapp/checkpoint/rewind/{step}/"
        assert looker.post(path, subscription=NAME, position="earliest", plan="x") == 403

    assert not Rewind.objects.exists()
    quiet = ("streamapp.Subscription", "streamapp.Rewind", "streamapp.RewoundShard", "admin.LogEntry")
    assert {name: dump()[name] for name in quiet} == {name: before[name] for name in quiet}
    assert stage.stored() == dict.fromkeys(SHARDS, RECORDS)


def test_a_position_leads_to_its_record_whose_markup_stays_text(stage, desk):
    stage.start()
    reader = desk("rewind_checkpoint", "view_record")
    reader.open_subscription(NAME)
    reader.review("0@5", "to look at it")
    reader.apply()
    reader.page.get_by_role("link", name="5", exact=True).click()

    here = reader.page.locator(".streamapp-here")
    assert here.locator("h3 a").inner_text() == "5"
    assert "<script>alert(2)</script>" in here.locator("pre").last.inner_text()
    assert not reader.page.locator("#content img, #content script").count()
    reader.page.get_by_role("link", name="last records").click()
    assert reader.page.locator(".streamapp-record h3").last.inner_text() == str(RECORDS - 1)
