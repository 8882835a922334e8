"""In a real browser, with a worker that runs: a dead letter is mended in a copy, redelivered, handled."""

import pytest

from projects.shipping.models import Booking, Carrier
from streamapp import registry
from streamapp.admin import set_aside_actions
from streamapp.conf import configuration
from streamapp.engine.worker import Worker
from streamapp.models import AuditEntry, Checkpoint, DeadLetter, DelayedRecord
from streamapp.services.from_handler import rewind_from_handler
from streamapp.store import Store
from tests.browser.consuming.stage import until
from tests.browser.letters import Letters
from tests.browser.shipping import NAME, SETTINGS

pytestmark = [pytest.mark.live("chromium"), pytest.mark.alone, pytest.mark.timeout(180)]
LOOK = ("view_deadletter", "view_record")
ALL = (
    *LOOK,
    "edit_letter",
    "redeliver_letter",
    "dryrun_letter",
    "view_dryrun",
    "publish_letter",
    "purge_letter",
)
ADDRESSES = ("1 Mill Lane", "", "3 Mill Lane")


@pytest.fixture
def worker(settings, transactional_db):
    """A worker that has handled three shipments, the second of which is a dead letter."""
    settings.STREAMAPP = SETTINGS
    Carrier.objects.get_or_create(code="post")
    broker, mount = registry.broker("local"), registry.mount(NAME)
    broker.reader(mount.subscribing()).close()
    for number, address in enumerate(ADDRESSES, 1):
        registry.broker("local").publish("shipments", _shipment(number, address))
    worker = Worker([mount], {"local": broker}, Store("default"), configuration(), rewind_from_handler)
    worker.start()
    until(DeadLetter.objects.exists, lambda: "the shipment without an address is a dead letter")
    until(lambda: booked() == {1, 3}, booked)
    until(
        lambda: Checkpoint.objects.get().position == len(ADDRESSES), lambda: Checkpoint.objects.get().position
    )
    yield worker
    worker.stop()
    assert worker.join(20)
    for thread in worker.threads:
        thread.join(20)
    assert worker.failure is None


def booked():
    return set(Booking.objects.values_list("shipment_id", flat=True))


def _shipment(number, address):
    return f'{{"id":{number},"address":"{address}","carrier":"post"}}'.encode()


def test_the_shipment_without_an_address_is_mended_in_a_copy_redelivered_and_booked(worker, desk):
    letters = Letters(desk(*ALL).page)
    letters.open_first()
    assert "no address" in letters.text() and '"address": ""' in letters.text()

    letters.mend('"address":""', '"address":"2 Mill Lane"', "asked the sender")
    assert '"address": ""' in letters.text(), "the original stays as it arrived"
    assert '"address": "2 Mill Lane"' in letters.text()
    letter = DeadLetter.objects.get()
    assert bytes(letter.value) == _shipment(2, ""), "the original stays as it arrived"
    letters.redeliver("the address is known now")

    until(lambda: booked() == {1, 2, 3}, booked)
    assert Booking.objects.get(shipment_id=2).address == "2 Mill Lane"
    until(lambda: not DelayedRecord.objects.exists(), lambda: "the delayed record is handled and gone")
    assert not DeadLetter.objects.exists()
    assert Checkpoint.objects.get().position == len(ADDRESSES)
    assert list(AuditEntry.objects.order_by("pk").values_list("action", "subject")) == [
        ("edit", "shipments/0@1"),
        ("redeliver", "shipments/0@1 (edited copy)"),
    ]


def test_a_dry_run_tells_whether_the_mended_copy_would_be_booked_and_books_nothing(worker, desk):
    letters = Letters(desk(*ALL).page)
    letters.open_first()
    failed = letters.dry_run("is it mended?", "the handler raised")
    assert "builtins.ValueError: no address" in failed and "in ship" in failed

    letters.open_first()
    letters.mend('"address":""', '"address":"2 Mill Lane"', "asked the sender")
    fine = letters.dry_run("and now?", "ack")
    assert "Nothing of this was kept" in fine
    assert booked() == {1, 3}
    assert (DeadLetter.objects.count(), DelayedRecord.objects.count()) == (1, 0)
    assert Checkpoint.objects.get().position == len(ADDRESSES)
    assert not letters.page.locator("#streamapp-live[data-seconds]").count()


def test_an_unmended_shipment_comes_back_as_a_dead_letter_with_what_arrived(worker, desk):
    letters = Letters(desk(*ALL).page)
    letters.open_first()
    first = DeadLetter.objects.get()
    letters.mend('"id":2', '"id":4', "another number, the address is forgotten again")
    letters.redeliver("try it")

    until(DeadLetter.objects.exclude(pk=first.pk).exists, lambda: "it fails again and comes back")
    again = DeadLetter.objects.get()
    assert bytes(again.value) == _shipment(2, ""), "the original stays as it arrived"
    assert bytes(again.edited_value) == _shipment(4, "")
    assert (again.position, again.origin) == (first.position, first.origin)


def test_many_letters_are_purged_over_several_pages_that_go_on_by_themselves(worker, desk, monkeypatch):
    letter = DeadLetter.objects.get()
    DeadLetter.objects.bulk_create(_like(letter, position) for position in range(100, 350))
    monkeypatch.setattr(set_aside_actions, "SECONDS", 0.0)
    letters = Letters(desk(*ALL).page)
    letters.purge_all("a test of the sender")
    letters.page.get_by_text("to go.").wait_for()
    letters.page.get_by_text("251 records: deleted.").wait_for()
    assert not DeadLetter.objects.exists()


def test_who_may_only_look_sees_the_letter_and_no_way_to_change_it(worker, desk):
    looker = desk(*LOOK)
    letters = Letters(looker.page)
    assert letters.actions() == 0
    letters.open_first()
    assert "no address" in letters.text()
    assert not [url for url in looker.ways() if "/act/" in url or "/edit/" in url]
    pk = DeadLetter.objects.get().pk
    for path in ("act/redeliver/", "act/dry-run/", "act/publish/", "act/purge/", f"{pk}/edit/"):
        assert looker.post(f"/admin/streamapp/deadletter/{path}", ids=str(pk), reason="x") == 403
    assert DeadLetter.objects.count() == 1


def _like(letter, position):
    values = {field.attname: getattr(letter, field.attname) for field in letter._meta.concrete_fields}
    return DeadLetter(**{**values, "id": None, "position": position})
