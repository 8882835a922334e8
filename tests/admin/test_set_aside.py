"""Dead letters, the quarantine and delayed records: shown, edited, redelivered, published, purged."""

import json
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.db import DatabaseError

from streamapp import registry
from streamapp.admin import set_aside_actions
from streamapp.exceptions import PublishFailed
from streamapp.models import AuditEntry, DeadLetter, DelayedRecord, LocalRecord, Quarantined
from streamapp.records import Record
from streamapp.services.set_aside.publish import Publish
from streamapp.store.set_aside import SetAsideStore
from tests.admin.conftest import LETTERS, VIEWS, _client
from tests.admin.every_row import dump
from tests.admin.scenes import SETTINGS, STORE, fail
from tests.admin.test_controls import link, press
from tests.admin.test_pages import page

BASE = "/admin/streamapp"
ORIGINAL = b'{"id": 1, "address": ""}'
MENDED = '{"id": 1, "address": "1 Mill Lane"}'
KINDS = ("deadletter", "quarantined", "delayedrecord")
ACTIONS = {"redeliver": "Redeliver", "publish": "Redeliver to the source", "purge": "Purge"}


@pytest.fixture
def letter(rows):
    """A dead letter, whose place has no copy that waits."""
    letters(rows[0], 71)
    return DeadLetter.objects.get()


@pytest.fixture
def one_of_each(rows):
    record = Record(rows[0].key, 72, ORIGINAL, key=b"k-72")
    STORE.records.quarantine("ledger.spend", record, "cut")
    letters(rows[0], 71)
    fail("ledger.spend", Record(rows[0].key, 73, ORIGINAL))
    DeadLetter.objects.filter(position=73).delete()
    models = (DeadLetter, Quarantined, DelayedRecord)
    return {name: model.objects.get() for name, model in zip(KINDS, models, strict=True)}


def letters(row, *positions):
    for position in positions:
        fail("ledger.spend", Record(row.key, position, ORIGINAL, b"k-71", {"by": b"test"}))
    DelayedRecord.objects.all().delete()


def masked(settings, *mask):
    mounts = SETTINGS["SUBSCRIPTIONS"]
    settings.STREAMAPP = {
        **SETTINGS,
        "SUBSCRIPTIONS": {**mounts, "ledger.spend": {**mounts["ledger.spend"], "MASK": list(mask)}},
    }


def change(row):
    return f"{BASE}/{row._meta.model_name}/{row.pk}/change/"


def edit(client, row, text, **more):
    """Click through to the form, write, keep."""
    url = link(client, change(row), "Edit a copy")
    form = client.get(url).context["form"]
    given = {"version": form["version"].value() or "", "value": text, "reason": "asked the sender"}
    return client.post(url, {**given, **more}, follow=True)


def select(client, name, action, ids, **more):
    """Tick rows of a list and take an action; return the page that asks."""
    given = {"action": action, "_selected_action": ids, "index": "0", **more}
    return client.post(f"{BASE}/{name}/", given)


def confirm(client, asked, reason="the sender is fixed"):
    url, ids = asked.context["act"], asked.context["ids"]
    return client.post(url, {"ids": ids, "reason": reason}, follow=True)


@pytest.mark.parametrize("kind", KINDS)
def test_an_edited_copy_stands_beside_the_original_which_stays_as_it_arrived(clerk, one_of_each, kind):
    row = one_of_each[kind]
    answer = edit(clerk, row, MENDED)
    assert "The edited copy is kept" in answer.content.decode()
    row.refresh_from_db()
    assert (bytes(row.value), bytes(row.edited_value), row.edited_by) == (ORIGINAL, MENDED.encode(), "clerk")
    assert (
        "1 Mill Lane" in answer.content.decode()
        and "&quot;address&quot;: &quot;&quot;" in answer.content.decode()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_redelivered_is_due_at_once_as_edited_and_brings_the_original_along(clerk, one_of_each, kind):
    row = one_of_each[kind]
    DelayedRecord.objects.exclude(pk=one_of_each["delayedrecord"].pk).delete()
    edit(clerk, row, MENDED)
    press(clerk, change(row), "Redeliver")
    [claimed] = STORE.delayed.claim("ledger.spend", 60, 10)
    assert claimed.record.value == MENDED.encode()
    assert (claimed.edit.arrived, claimed.edit.by) == (ORIGINAL, "clerk")
    assert claimed.record.headers["streamapp-attempt"] == b"1"
    assert claimed.record.position == row.position
    if kind != "delayedrecord":
        assert not type(row).objects.exists()


def test_an_unedited_record_is_redelivered_as_it_arrived(clerk, letter):
    press(clerk, change(letter), "Redeliver")
    [claimed] = STORE.delayed.claim("ledger.spend", 60, 10)
    assert (claimed.record.value, claimed.record.key, claimed.edit) == (ORIGINAL, b"k-71", None)
    assert not DeadLetter.objects.exists()
    assert claimed.record.headers["by"] == b"test"
    assert claimed.record.headers["streamapp-origin"].endswith(b"@71")


def test_the_handlers_type_refuses_an_edited_copy_and_nothing_is_kept(clerk, letter):
    before = dump()
    answer = edit(clerk, letter, '{"id": 1, ')
    assert "The handler&#x27;s type refuses it: DecodeError" in answer.content.decode()
    assert dump() == before


def test_the_original_written_again_takes_the_edited_copy_away(clerk, letter):
    edit(clerk, letter, MENDED)
    letter.refresh_from_db()
    answer = edit(clerk, letter, ORIGINAL.decode())
    assert "there is no edited copy now" in answer.content.decode()
    assert DeadLetter.objects.get().edited_value is None


def test_who_edits_what_somebody_else_has_edited_meanwhile_is_told(clerk, letter):
    edit(clerk, letter, MENDED)
    answer = edit(clerk, letter, '{"id": 2}', version="")
    assert "clerk edited the record meanwhile" in answer.content.decode()
    assert bytes(DeadLetter.objects.get().edited_value) == MENDED.encode()


def test_a_hidden_field_isnt_shown_for_editing_and_keeps_its_value(clerk, letter, settings):
    DeadLetter.objects.update(value=b'{"card": "visa-4111", "address": "", "to": {"card": "42"}}')
    masked(settings, "card")
    text = page(clerk, f"deadletter/{letter.pk}/edit/")
    assert "visa-4111" not in text and "(masked)" in text
    shown = {"card": "(masked)", "address": "1 Mill Lane", "to": {"card": "(masked)"}}
    edit(clerk, letter, json.dumps(shown))
    assert json.loads(bytes(DeadLetter.objects.get().edited_value)) == {
        "card": "visa-4111",
        "address": "1 Mill Lane",
        "to": {"card": "42"},
    }
    assert "visa-4111" not in page(clerk, f"deadletter/{letter.pk}/change/")


@pytest.mark.parametrize(
    "text",
    ['{"address": "(masked)"}', '{"address": [{"card": "(masked)"}]}', '{"note": {"card": "(masked)"}}'],
)
def test_the_mark_of_a_hidden_field_brings_nothing_to_where_it_was_not(clerk, letter, settings, text):
    DeadLetter.objects.update(value=b'{"card": "visa-4111", "address": ""}')
    masked(settings, "card")
    answer = edit(clerk, letter, text)
    assert answer.context["form"].errors
    assert DeadLetter.objects.get().edited_value is None


def test_payloads_are_for_those_who_may_see_records(looker, one_of_each):
    for row in one_of_each.values():
        text = looker.get(change(row)).content.decode()
        assert "address" not in text and "k-7" not in text
        assert "it takes the permission to see records" in text


def test_a_record_goes_back_to_its_source_as_edited_and_leaves_once_it_is_confirmed(clerk, letter):
    edit(clerk, letter, MENDED)
    asked = clerk.get(link(clerk, change(letter), "Redeliver to the source"))
    assert "EVERY group and subscription" in asked.content.decode()
    confirm(clerk, asked)
    record = LocalRecord.objects.order_by("-id").first()
    assert bytes(record.value) == MENDED.encode() and bytes(record.key) == b"k-71"
    assert not DeadLetter.objects.exists() and not DelayedRecord.objects.exists()


def test_a_record_that_its_source_does_not_confirm_stays(clerk, letter, monkeypatch):
    def refuse(*_, **__):
        assert DeadLetter.objects.exists(), "confirmed before the letter is deleted"
        raise PublishFailed("Too large. Nothing was stored.")

    monkeypatch.setattr(registry.broker("local"), "publish", refuse)
    answer = press(clerk, change(letter), "Redeliver to the source")
    assert "Stopped, the rest was not tried. orders/0@71: not confirmed" in answer.content.decode()
    assert DeadLetter.objects.get() == letter
    assert not AuditEntry.objects.exists() and not LogEntry.objects.exists()


def test_a_purge_needs_a_reason_and_leaves_the_trail(clerk, letter):
    assert "This field is required" in press(clerk, change(letter), "Purge", "").content.decode()
    assert DeadLetter.objects.exists()
    press(clerk, change(letter), "Purge", "a test of the carrier")
    assert not DeadLetter.objects.exists()
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.subscription, entry.subject) == ("purge", "ledger.spend", "orders/0@71")
    assert (entry.user.username, entry.reason) == ("clerk", "a test of the carrier")
    assert "a test of the carrier" in LogEntry.objects.get().get_change_message()


def test_the_trail_tells_values_apart_without_showing_them(clerk, letter):
    edit(clerk, letter, MENDED)
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.subject) == ("edit", "orders/0@71")
    assert entry.old != entry.new and "Mill" not in entry.new
    assert entry.new.startswith("35 bytes, SHA-256 ")


def test_a_selection_is_reviewed_then_done_in_chunks(clerk, rows, monkeypatch):
    letters(rows[0], *range(40, 52))
    letters(rows[1], *range(40, 52))
    monkeypatch.setattr(set_aside_actions.RedeliverSetAside, "chunk", 10)
    ids = list(DeadLetter.objects.values_list("pk", flat=True))
    before = dump()
    asked = select(clerk, "deadletter", "redeliver", ids)
    assert "24 dead letters: orders/0@40" in asked.content.decode()
    assert dump() == before
    answer = confirm(clerk, asked)
    assert "24 records: delayed record, due at once." in answer.content.decode()
    assert (DeadLetter.objects.count(), DelayedRecord.objects.count()) == (0, 24)
    assert [entry.subject for entry in AuditEntry.objects.order_by("pk")] == [
        "10 dead letters",
        "10 dead letters",
        "4 dead letters",
    ]
    assert sum(entry.old.count("@") for entry in AuditEntry.objects.all()) == 24
    assert LogEntry.objects.count() == 24


def test_a_long_selection_shows_how_far_it_is_and_goes_on(clerk, rows, monkeypatch):
    letters(rows[0], *range(40, 65))
    monkeypatch.setattr(set_aside_actions.Purge, "chunk", 10)
    monkeypatch.setattr(set_aside_actions, "SECONDS", 0.0)
    ids = list(DeadLetter.objects.values_list("pk", flat=True))
    answer = confirm(clerk, select(clerk, "deadletter", "purge", ids))
    rounds = 1
    while "to go." in answer.content.decode():
        assert "0 left as they are" in answer.content.decode()
        tally = answer.context["tally"]
        assert DeadLetter.objects.count() == answer.context["left"] == 25 - tally.done
        form = {"ids": answer.context["ids"], "reason": "old", "done": tally.done, "refused": 0}
        answer = clerk.post(answer.context["act"], form, follow=True)
        rounds += 1
    assert rounds > 1
    assert "25 records: deleted." in answer.content.decode()


def test_all_that_a_search_finds_can_be_selected_at_once(clerk, rows):
    letters(rows[0], *range(40, 60))
    letters(rows[1], *range(40, 42))
    asked = select(clerk, "deadletter", "redeliver", [DeadLetter.objects.first().pk], select_across="1")
    assert "22 dead letters" in asked.content.decode()


def test_a_letter_is_redelivered_once_however_often_it_is_asked_for(clerk, letter):
    url = link(clerk, change(letter), "Redeliver")
    for _ in range(2):
        answer = clerk.post(url, {"ids": letter.pk}, follow=True)
    assert "1 record: gone, or in a worker&#x27;s hand" in answer.content.decode()
    assert DelayedRecord.objects.count() == 1
    assert AuditEntry.objects.count() == 1


def test_a_letter_stays_while_another_copy_of_its_record_waits(clerk, rows):
    fail("ledger.spend", Record(rows[0].key, 71, ORIGINAL))
    answer = press(clerk, change(DeadLetter.objects.get()), "Redeliver")
    assert "another copy of it waits among the delayed records" in answer.content.decode()
    assert (DeadLetter.objects.count(), DelayedRecord.objects.count()) == (1, 1)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_delayed_record_in_a_workers_hand_is_not_touched(clerk, one_of_each, action):
    soon = datetime.now(UTC) + timedelta(minutes=1)
    DelayedRecord.objects.update(claim=uuid4(), claimed_until=soon)
    row = DelayedRecord.objects.get()
    answer = press(clerk, change(row), ACTIONS[action], "because")
    assert "in a worker&#x27;s hand" in answer.content.decode()
    assert "in a worker&#x27;s hand" in edit(clerk, row, MENDED).content.decode()
    now = DelayedRecord.objects.get()
    assert (now.due_at, now.claim, now.edited_value) == (row.due_at, row.claim, None)


def test_a_record_of_a_subscription_that_is_not_mounted_can_only_be_purged(clerk, letter, settings):
    mounts = {"shipping.ship": SETTINGS["SUBSCRIPTIONS"]["shipping.ship"]}
    settings.STREAMAPP = {**SETTINGS, "SUBSCRIPTIONS": mounts}
    for title in ("Redeliver", "Redeliver to the source"):
        answer = clerk.get(link(clerk, change(letter), title), follow=True)
        assert "edger.spend isn&#x27;t mounted" in answer.content.decode()
    press(clerk, change(letter), "Purge", "the subscription is gone")
    assert not DeadLetter.objects.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_who_may_only_look_has_no_button_and_is_refused(looker, one_of_each, kind):
    row, before = one_of_each[kind], dump()
    assert link(looker, change(row), "") == {}
    assert "action-select" not in page(looker, f"{kind}/")
    for action in ACTIONS:
        url = f"{BASE}/{kind}/act/{action}/"
        assert looker.get(url, {"ids": row.pk}).status_code == 403
        assert looker.post(url, {"ids": row.pk, "reason": "x"}).status_code == 403
        select(looker, kind, action, [row.pk])
    assert looker.post(f"{BASE}/{kind}/{row.pk}/edit/", {"value": "{}"}).status_code == 403
    after = dump()
    assert {name: after[name] for name in after if "ession" not in name} == {
        name: before[name] for name in before if "ession" not in name
    }


@pytest.mark.parametrize("action, permission", [(name, f"{name}_letter") for name in ("edit", *ACTIONS)])
def test_one_permission_does_not_give_another(django_user_model, letter, action, permission):
    user = django_user_model.objects.create_user("somebody", is_staff=True)
    others = [name for name in LETTERS if name != permission]
    somebody = _client(user, *VIEWS, *others)
    url = f"{BASE}/deadletter/{letter.pk}/edit/" if action == "edit" else f"{BASE}/deadletter/act/{action}/"
    given = {"ids": letter.pk, "reason": "x", "value": MENDED, "version": ""}
    assert somebody.post(url, given).status_code == 403
    assert DeadLetter.objects.get().edited_value is None


def test_a_copy_is_edited_only_by_who_may_see_the_record(django_user_model, letter):
    user = django_user_model.objects.create_user("blind", is_staff=True)
    blind = _client(user, *VIEWS, *(name for name in LETTERS if name != "view_record"))
    assert "Edit a copy" not in link(blind, change(letter), "")
    assert blind.get(f"{BASE}/deadletter/{letter.pk}/edit/").status_code == 403


def test_letters_are_found_by_their_key_by_those_who_may_see_it(clerk, looker, one_of_each):
    for client, found in ((clerk, True), (looker, False)):
        assert ("@71" in page(client, "deadletter/", q="k-71")) is found
    assert "@71" in page(looker, "deadletter/", q="ledger")


def test_a_database_that_fails_after_the_confirmation_keeps_the_letter(
    letter, monkeypatch, django_user_model
):
    def fail_to_delete(*_):
        raise DatabaseError("gone away")

    monkeypatch.setattr(SetAsideStore, "delete", fail_to_delete)
    from streamapp.store.audit import Asker

    with pytest.raises(DatabaseError):
        Publish(DeadLetter).do([letter.pk], Asker("command"))
    assert DeadLetter.objects.exists()
