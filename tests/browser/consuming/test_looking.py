"""In a real browser: who may only look can do nothing, and what a record says stays text."""

import pytest

from streamapp.models import Checkpoint, HeldRecord, Rewind, Subscription, Worker
from tests.admin.every_row import dump
from tests.browser.consuming.handlers import HOLD

pytestmark = [
    pytest.mark.live("postgres", "chromium"),
    pytest.mark.alone,
    pytest.mark.timeout(180),
]
EVIL = "<img src=x onerror=alert(1)><script>alert(2)</script>"
CHANGING = ("/checkpoint/rewind/", "/control/", "/records/")
SHARDS_PAGE = "/admin/streamapp/checkpoint"
OPERATORS = ("Pause", "Rewound", "Skipped", "Audit", "LogEntry", "Subscription")


@pytest.fixture
def held(stage, desk):
    """A held record, which somebody skips at the end: the next test finds everything handled."""
    stage.write(stage.parcels, 0, [f"{HOLD}{EVIL}{stage.ends(stage.parcels)}", "behind it"])
    stage.await_held(stage.parcels, 1)
    held = HeldRecord.objects.get()
    yield held
    operator = desk("skip_checkpoint")
    operator.open_row("heldrecord", held.pk)
    operator.act("Skip a held record")
    stage.await_stored(stage.parcels, stage.ends(stage.parcels))


def places(stage, held) -> dict[str, list[str]]:
    """Return the pages to look at, and the addresses that only those with a permission may use."""
    subscription = Subscription.objects.get(name=stage.parcels)
    worker = Worker.objects.get(process_id=stage.worker.number)
    rewind = Rewind.objects.latest("pk")
    shard = held.checkpoint_id
    rows = {"subscription": subscription, "checkpoint": held.checkpoint, "heldrecord": held}
    rows |= {"worker": worker, "rewind": rewind}
    subjects = {"pause": f"subscription={subscription.pk}", "resume": f"shard={shard}"}
    subjects |= {"skip": f"shard={shard}&position={held.position}", "redeliver": f"shard={shard}"}
    subjects |= {
        "release": f"shard={shard}",
        "drain": f"worker={worker.pk}",
        "undrain": f"worker={worker.pk}",
    }
    steps = ("", "scope/", "review/", "apply/", f"undo/{rewind.pk}/")
    return {
        "shown": [f"/admin/streamapp/{kind}/{row.pk}/change/" for kind, row in rows.items()]
        + [f"/admin/streamapp/{kind}/" for kind in rows],
        "closed": [f"{SHARDS_PAGE}/control/{name}/?{subject}" for name, subject in subjects.items()]
        + [f"{SHARDS_PAGE}/rewind/{step}" for step in steps]
        + [f"{SHARDS_PAGE}/records/?shard={shard}&at={held.position}"],
    }


def untouched(stage) -> dict[str, object]:
    """Return all that only operators change; the consumers go on meanwhile."""
    tables = {name: rows for name, rows in dump().items() if any(word in name for word in OPERATORS)}
    return {**tables, "revisions": list(Checkpoint.objects.order_by("pk").values_list("pk", "revision"))}


def test_who_may_only_look_sees_no_way_to_change_anything_and_is_refused(stage, desk, held):
    operator = desk("rewind_checkpoint")
    operator.ask_where_to(stage.orders)
    operator.choose("latest")
    operator.review()
    operator.apply()
    looker, found = desk(), places(stage, held)
    before = untouched(stage)

    for page in found["shown"]:
        assert looker.page.goto(page).status == 200
        assert not [way for way in looker.ways() if any(part in way for part in CHANGING)], page
        assert not looker.page.locator("select[name=action], button:has-text('Undo')").count()
    for address in found["closed"]:
        assert looker.page.goto(address).status == 403, address
    looker.page.goto(f"{SHARDS_PAGE}/")
    for address in found["closed"]:
        fields = {"subscription": stage.orders, "kind": "earliest", "plan": "x", "reason": "none"}
        assert looker.post(address, **fields) == 403, address
    chosen = {"action": "rewind", "_selected_action": str(held.checkpoint_id)}
    looker.post(f"{SHARDS_PAGE}/", **chosen)

    assert untouched(stage) == before


def test_a_held_record_leads_to_what_stands_in_the_log_and_its_markup_stays_text(stage, desk, held):
    reader = desk("view_record")
    reader.open_row("heldrecord", held.pk)
    reader.follow_position(stage.told(held.position))
    assert reader.record_here() == (stage.told(held.position), stage.written[stage.parcels, 0][-2])
    assert not reader.page.locator("#content img, #content script").count()
