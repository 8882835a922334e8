"""Dry runs at the desk: asked for, followed, and shown to those who may see them."""

import json

import pytest

from streamapp.models import AuditEntry, DeadLetter, DelayedRecord, DryRun, HeldRecord, Quarantined
from streamapp.records import Record
from streamapp.store.dry_runs import DryOutcome, DryResult
from streamapp.store.failed import Failure
from streamapp.unsent import Unsent
from tests.admin.conftest import VIEWS, _client
from tests.admin.every_row import dump
from tests.admin.scenes import SETTINGS, STORE, fail, hold, worker
from tests.admin.test_controls import link, press

BASE = "/admin/streamapp"
ORIGINAL = b'{"id": 1, "card": "visa-4111"}'


@pytest.fixture(autouse=True)
def allowed(mounted, settings):
    mounts = SETTINGS["SUBSCRIPTIONS"]
    spend = {**mounts["ledger.spend"], "DRY_RUN": True, "MASK": ["card"]}
    settings.STREAMAPP = {**SETTINGS, "SUBSCRIPTIONS": {**mounts, "ledger.spend": spend}}


@pytest.fixture
def letter(rows):
    fail("ledger.spend", Record(rows[0].key, 71, ORIGINAL, b"k"))
    DelayedRecord.objects.all().delete()
    return DeadLetter.objects.get()


@pytest.fixture
def records(rows, letter):
    """One record of each kind that can be tried."""
    STORE.records.quarantine("ledger.spend", Record(rows[0].key, 72, ORIGINAL), "cut")
    fail("ledger.spend", Record(rows[0].key, 73, ORIGINAL))
    DeadLetter.objects.filter(position=73).delete()
    hold(rows[0], 74)
    return {
        model.__name__: model.objects.get() for model in (DeadLetter, Quarantined, DelayedRecord, HeldRecord)
    }


def change(row):
    return f"{BASE}/{row._meta.model_name}/{row.pk}/change/"


def test_the_title_of_a_page_does_not_take_the_number_of_the_row_for_a_position(clerk, records):
    words = {
        "DeadLetter": "dead letter",
        "Quarantined": "quarantined record",
        "DelayedRecord": "delayed record",
    }
    for kind, word in words.items():
        row = records[kind]
        assert f"{word} {row.pk} of orders/0" in clerk.get(change(row)).content.decode()


@pytest.mark.parametrize("kind", ["DeadLetter", "Quarantined", "DelayedRecord", "HeldRecord"])
def test_asking_leads_to_a_page_that_follows_the_run(clerk, records, kind):
    row = records[kind]
    before = dump()
    answer = press(clerk, change(row), "Dry run", "is it mended?")
    run = DryRun.objects.get()
    assert answer.redirect_chain[-1][0] == change(run)
    text = answer.content.decode()
    assert "requested" in text and 'data-seconds="1"' in text
    assert "No live worker runs the subscription" in text
    assert (run.asked_by, run.reason, run.position) == ("clerk", "is it mended?", row.position)
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.user.username, entry.subscription) == ("dry run", "clerk", "ledger.spend")
    changed = {label for label, found in dump().items() if found != before[label]}
    assert changed <= {
        "streamapp.DryRun",
        "streamapp.AuditEntry",
        "admin.LogEntry",
        "auth.User",
        "sessions.Session",
    }


def test_the_page_says_first_what_would_happen_and_a_look_orders_nothing(clerk, letter):
    text = clerk.get(link(clerk, change(letter), "Dry run")).content.decode()
    assert "rolls back what it writes" in text and "is done for real" in text
    assert not DryRun.objects.exists()


@pytest.mark.parametrize("kind", ["DeadLetter", "HeldRecord"])
def test_who_may_only_look_is_refused(looker, clerk, records, kind):
    row = records[kind]
    assert "Dry run" not in (link(looker, change(row), "") or {})
    address = link(clerk, change(row), "Dry run")
    for answer in (looker.get(address), looker.post(address, {"reason": "x"})):
        assert answer.status_code == 403
    assert not DryRun.objects.exists()


def test_other_permissions_do_not_give_this_one(django_user_model, clerk, letter):
    user = django_user_model.objects.create_user("redeliverer", is_staff=True)
    other = _client(user, *VIEWS, "redeliver_letter", "purge_letter", "publish_letter", "edit_letter")
    address = link(clerk, change(letter), "Dry run")
    assert other.post(address, {"ids": letter.pk}).status_code == 403
    assert not DryRun.objects.exists()


def test_where_it_is_not_allowed_there_is_no_button_and_a_selection_is_told_why(clerk, letter, settings):
    settings.STREAMAPP = SETTINGS
    assert "Dry run" not in link(clerk, change(letter), "")
    given = {"action": "dry_run", "_selected_action": [letter.pk], "index": "0"}
    answer = clerk.post(f"{BASE}/deadletter/", given, follow=True)
    assert "DRY_RUN = True" in answer.content.decode()
    assert not DryRun.objects.exists()


def test_of_a_selection_each_record_is_a_run(clerk, rows, letter):
    fail("ledger.spend", Record(rows[0].key, 75, ORIGINAL))
    ids = list(DeadLetter.objects.values_list("pk", flat=True))
    given = {"action": "dry_run", "_selected_action": ids, "index": "0"}
    asked = clerk.post(f"{BASE}/deadletter/", given)
    answer = clerk.post(asked.context["act"], {"ids": asked.context["ids"], "reason": ""}, follow=True)
    assert answer.redirect_chain[-1][0] == f"{BASE}/dryrun/"
    assert DryRun.objects.count() == len(ids) == 2
    assert DeadLetter.objects.count() == 2


def ended(client, letter, **result):
    press(client, change(letter), "Dry run")
    ordered = STORE.dry_runs.claim("ledger.spend", worker([]), 30.0)
    assert STORE.dry_runs.finish(ordered, DryResult(**result))
    return DryRun.objects.get()


def test_the_result_is_shown_and_followed_no_more(clerk, letter):
    failure = Failure("", "builtins.ValueError", "no <carrier>", "Traceback: line 7")
    run = ended(
        clerk, letter, outcome=DryOutcome.FAILED, said="ValueError", failure=failure, milliseconds=12.34
    )
    text = clerk.get(change(run)).content.decode()
    assert "the handler raised" in text and "builtins.ValueError: no &lt;carrier&gt;" in text
    assert "Traceback: line 7" in text and "12.3 ms" in text
    assert "data-seconds" not in text
    followed = text.partition('id="streamapp-live"')[2].partition("What was asked for")[0]
    assert f"<dt>Claimed by</dt><dd>{run.worker}" in followed and "<dt>Ended at</dt>" in followed
    assert "the handler raised" in clerk.get(f"{BASE}/dryrun/").content.decode()


def test_what_would_have_been_published_is_shown_without_what_mask_hides(clerk, looker, letter):
    unsent = [Unsent("parcels", json.dumps({"id": 7, "card": "visa-4111"}).encode(), b"k-7", {"by": b"test"})]
    moves = ("rewind earliest",)
    run = ended(clerk, letter, outcome=DryOutcome.ACK, milliseconds=1.0, unsent=unsent * 23, moves=moves)
    text = clerk.get(change(run)).content.decode()
    assert "parcels" in text and "k-7" in text and "(masked)" in text and "visa-4111" not in text
    assert "And 3 more." in text and "rewind earliest" in text
    seen = looker.get(change(run)).content.decode()
    assert "parcels" in seen and "k-7" not in seen


def test_a_claim_shows_until_it_runs_out(clerk, letter):
    press(clerk, change(letter), "Dry run")
    run = DryRun.objects.get()
    STORE.dry_runs.claim("ledger.spend", worker([]), 30.0)
    assert "claimed" in clerk.get(change(run)).context["stand"]
    DryRun.objects.update(claimed_until=run.asked_at)
    assert "requested" in clerk.get(change(run)).context["stand"]


def test_a_worker_whose_claim_is_another_ones_keeps_no_result(clerk, letter):
    press(clerk, change(letter), "Dry run")
    late = STORE.dry_runs.claim("ledger.spend", worker([]), -1.0)
    now = STORE.dry_runs.claim("ledger.spend", worker([]), 30.0)
    assert not STORE.dry_runs.finish(late, DryResult(DryOutcome.HOLD))
    assert STORE.dry_runs.finish(now, DryResult(DryOutcome.ACK))
    assert DryRun.objects.get().outcome == "ack"


def test_without_any_the_list_says_what_to_do_first(clerk):
    assert "Set DRY_RUN = True" in clerk.get(f"{BASE}/dryrun/").content.decode()
