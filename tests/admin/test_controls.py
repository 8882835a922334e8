"""Pause, resume, skip, redeliver, release and drain in the admin."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.core import serializers
from django.urls import reverse

from streamapp.exceptions import StalePlan
from streamapp.models import (
    AuditEntry,
    Checkpoint,
    HeldRecord,
    Lease,
    Pause,
    SkippedRecord,
    Subscription,
    Worker,
)
from streamapp.positions import Earliest
from streamapp.services import rewind
from tests.admin.scenes import hold, worker

BASE = "/admin/streamapp"
WORDS = ("pause", "resume", "skip", "redeliver", "release", "drain", "undrain")


@pytest.fixture
def scene(rows):
    """A subscription of three shards with a worker, one of which holds a record."""
    identity = worker(rows)
    hold(rows[0], 70)
    return rows, identity


def shard_page(row):
    return f"{BASE}/checkpoint/{row.pk}/change/"


def subscription_page(row):
    return f"{BASE}/subscription/{row.subscription_id}/change/"


def link(client, page, title):
    """Return where a button of a page leads, as somebody who clicks it."""
    buttons = re.search(r'<ul class="object-tools">(.*?)</ul>', client.get(page).content.decode(), re.DOTALL)
    found = re.findall(r'<a href="([^"]+)">\s*([^<]+)…', buttons.group(1) if buttons else "")
    links = {text: url.replace("&amp;", "&") for url, text in found}
    return links.get(title) if title else links


def press(client, page, title, reason="the carrier is down"):
    """Click the button, read the page that follows, give a reason and confirm."""
    url = link(client, page, title)
    assert url, f"{page} offers {title}"
    assert client.get(url).status_code == 200
    return client.post(url, {"reason": reason}, follow=True)


def dump():
    """Everything that the database holds of streamapp, as text."""
    models = (AuditEntry, Checkpoint, HeldRecord, Lease, Pause, SkippedRecord, Subscription, Worker)
    return [serializers.serialize("json", model.objects.order_by("pk")) for model in models]


def test_pausing_and_resuming_a_shard(chief, scene):
    rows, _ = scene
    text = press(chief, shard_page(rows[0]), "Pause").content.decode()
    pause = Pause.objects.get()
    assert (pause.checkpoint, pause.paused_by, pause.reason) == (rows[0], "chief", "the carrier is down")
    assert "paused by chief since" in text and "because: the carrier is down" in text
    assert 'streamapp-warn">paused<' in chief.get(f"{BASE}/checkpoint/").content.decode()
    press(chief, shard_page(rows[0]), "Resume")
    assert not Pause.objects.exists()
    assert list(AuditEntry.objects.order_by("pk").values_list("action", "subject")) == [
        ("pause", "orders/0"),
        ("resume", "orders/0"),
    ]


def test_pausing_and_resuming_a_subscription(chief, scene):
    rows, _ = scene
    text = press(chief, subscription_page(rows[0]), "Pause").content.decode()
    assert Pause.objects.get().checkpoint is None
    assert "paused by chief since" in text
    assert "with its subscription: paused by chief" in chief.get(shard_page(rows[1])).content.decode()
    press(chief, subscription_page(rows[0]), "Resume")
    assert not Pause.objects.exists()


def test_what_moves_nothing_leaves_a_rewind_that_was_reviewed_before_good(chief, scene):
    rows, _ = scene
    plan = rewind.plan_mounted("ledger.spend", Earliest())
    press(chief, shard_page(rows[0]), "Pause")
    press(chief, subscription_page(rows[0]), "Pause")
    press(chief, subscription_page(rows[0]), "Redeliver held records")
    press(chief, shard_page(rows[0]), "Resume")
    press(chief, shard_page(rows[1]), "Release the lease")
    rewind.apply(plan, origin="test")
    assert set(Checkpoint.objects.values_list("position", flat=True)) == {line.new for line in plan.lines}


def test_a_skip_makes_a_rewind_that_was_reviewed_before_stale_and_the_refusal_says_so(chief, scene):
    plan = rewind.plan_mounted("ledger.spend", Earliest())
    held = f"{BASE}/heldrecord/{HeldRecord.objects.get().pk}/change/"
    press(chief, held, "Skip a held record", "card number is missing")
    with pytest.raises(StalePlan, match="had its record at 70 skipped by chief") as refused:
        rewind.apply(plan, origin="test")
    assert "moved" not in str(refused.value)


def test_skipping_a_held_record(chief, scene):
    held = f"{BASE}/heldrecord/{HeldRecord.objects.get().pk}/change/"
    answer = press(chief, held, "Skip a held record", "card number is missing")
    order = SkippedRecord.objects.get()
    assert (order.position, order.asked_by, order.reason) == (70, "chief", "card number is missing")
    assert "70: waits for its worker" in answer.content.decode()
    assert "Skip a held record" not in link(chief, held, "")


def test_a_skip_needs_a_reason(chief, scene):
    held = f"{BASE}/heldrecord/{HeldRecord.objects.get().pk}/change/"
    answer = press(chief, held, "Skip a held record", "")
    assert "This field is required." in answer.content.decode()
    assert not SkippedRecord.objects.exists()


def test_a_record_that_is_not_held_any_more_is_refused_with_a_sentence(chief, scene):
    url = link(chief, f"{BASE}/heldrecord/{HeldRecord.objects.get().pk}/change/", "Skip a held record")
    HeldRecord.objects.all().delete()
    for answer in (chief.get(url, follow=True), chief.post(url, {"reason": "x"}, follow=True)):
        assert "rders/0@70 isn&#x27;t held" in answer.content.decode()
    assert not SkippedRecord.objects.exists() and not AuditEntry.objects.exists()


@pytest.mark.parametrize("page", [shard_page, subscription_page])
def test_redelivering(chief, scene, page):
    rows, _ = scene
    press(chief, page(rows[0]), "Redeliver held records")
    epochs = list(Checkpoint.objects.order_by("pk").values_list("epoch", flat=True))
    assert epochs == [2, 1, 1]
    assert not HeldRecord.objects.exists()
    entry = AuditEntry.objects.get()
    assert (entry.subject, entry.old, entry.new) == ("orders/0", "orders/0: epoch 1", "orders/0: epoch 2")


def test_releasing(chief, scene):
    rows, identity = scene
    press(chief, shard_page(rows[0]), "Release the lease")
    assert list(Lease.objects.order_by("pk").values_list("worker", flat=True)) == [None, identity, identity]
    assert Checkpoint.objects.get(pk=rows[0].pk).epoch == 2


def test_draining_and_the_undo_of_it(chief, scene):
    _, identity = scene
    page = f"{BASE}/worker/{identity}/change/"
    text = press(chief, page, "Drain").content.decode()
    assert "drained by chief since" in text and "still holds shards" in text
    press(chief, page, "Undo the drain")
    assert Worker.objects.get().drained_at is None
    assert [entry.action for entry in AuditEntry.objects.order_by("pk")] == ["drain", "undrain"]


def test_the_confirming_page_says_what_happens_before_anything_does(chief, scene):
    rows, _ = scene
    before = dump()
    text = chief.get(link(chief, subscription_page(rows[0]), "Pause")).content.decode()
    assert "Nothing of ledger.spend is handled until somebody resumes" in text
    assert "1 live worker follows within a second or so." in text
    assert dump() == before


def test_the_log_of_the_admin_names_the_action_and_the_reason(chief, scene):
    rows, _ = scene
    press(chief, shard_page(rows[0]), "Pause")
    entry = LogEntry.objects.get()
    assert (entry.object_repr, entry.user.username) == ("orders/0", "chief")
    assert entry.get_change_message() == "pause: orders/0. the carrier is down"


def test_what_somebody_else_did_meanwhile_is_said(chief, scene):
    rows, _ = scene
    url = link(chief, shard_page(rows[0]), "Pause")
    chief.post(url, {"reason": "first"})
    answer = chief.post(url, {"reason": "second"}, follow=True)
    assert "is paused already, paused by chief since" in answer.content.decode()
    assert AuditEntry.objects.count() == 1


@pytest.mark.parametrize("word", WORDS)
def test_without_the_permission_there_is_no_button_and_no_way(looker, scene, word):
    rows, identity = scene
    held = f"{BASE}/heldrecord/{HeldRecord.objects.get().pk}/change/"
    for page in (shard_page(rows[0]), subscription_page(rows[0]), held, f"{BASE}/worker/{identity}/change/"):
        assert link(looker, page, "") == {}
    before = dump()
    url = reverse("admin:streamapp_control", args=[word])
    subject = f"?shard={rows[0].pk}&position=70&worker={identity}"
    assert looker.get(url + subject).status_code == 403
    assert looker.post(url + subject, {"reason": "because"}).status_code == 403
    assert dump() == before


@pytest.mark.parametrize("word", [word for word in WORDS if word != "rewind"])
def test_one_permission_does_not_give_another(client, django_user_model, scene, word):
    from tests.admin.conftest import ACTIONS, VIEWS, _client

    rows, identity = scene
    mine = {"resume": "pause", "undrain": "drain"}.get(word, word)
    others = [f"{name}_checkpoint" for name in ACTIONS if name != mine] + ["drain_worker"] * (mine != "drain")
    somebody = _client(django_user_model.objects.create_user("somebody", is_staff=True), *VIEWS, *others)
    url = reverse("admin:streamapp_control", args=[word])
    subject = f"?shard={rows[0].pk}&position=70&worker={identity}"
    assert somebody.post(url + subject, {"reason": "because"}).status_code == 403


@pytest.mark.parametrize("word", WORDS)
def test_a_get_changes_no_row(chief, scene, word):
    rows, identity = scene
    before = dump()
    subjects = (
        f"?shard={rows[0].pk}&position=70",
        f"?subscription={rows[0].subscription_id}",
        f"?worker={identity}",
        "",
    )
    for subject in subjects:
        answer = chief.get(reverse("admin:streamapp_control", args=[word]) + subject)
        assert answer.status_code in (200, 302, 404)
    assert dump() == before


@pytest.mark.parametrize("position", ["-5", "x", "9" * 5000, ""])
def test_what_can_be_no_position_names_no_record_to_skip(chief, rows, position):
    assert (
        chief.get(f"{BASE}/checkpoint/control/skip/?shard={rows[0].pk}&position={position}").status_code
        == 404
    )


@pytest.mark.parametrize("subject", ["", "?shard=x", "?shard=999999", "?worker=nobody", "?subscription=0"])
def test_an_address_that_names_nothing_is_not_found(chief, scene, subject):
    for word in (*WORDS, "explode"):
        url = f"{BASE}/checkpoint/control/{word}/{subject}"
        assert chief.post(url, {"reason": "x"}).status_code == 404


def test_a_form_from_elsewhere_is_refused(chief, scene):
    rows, _ = scene
    chief.handler.enforce_csrf_checks = True
    url = f"{BASE}/checkpoint/control/pause/?shard={rows[0].pk}"
    assert chief.post(url, {"reason": "x"}).status_code == 403


def test_a_reason_is_shown_and_never_run(chief, scene):
    rows, _ = scene
    answer = press(chief, shard_page(rows[0]), "Pause", "<script>alert(1)</script>")
    assert "<script>alert" not in answer.content.decode()
    assert "<script>alert" not in chief.get(f"{BASE}/auditentry/").content.decode()
