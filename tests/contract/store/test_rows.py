"""Which rows there are: one a shard and incarnation (fault 12), made once, with a lease beside each."""

import pytest

from streamapp.models import Checkpoint, HeldRecord, Quarantined, Rewind, RewoundShard, Subscription
from streamapp.records import Record, Shard
from streamapp.store.clock import ClockNow
from streamapp.store.records import Held

pytestmark = pytest.mark.django_db


def test_a_stream_that_was_made_again_has_rows_of_its_own(rows):
    again = Shard("orders", "0", "second")
    rows.store.checkpoints.create(rows.subscription, {again: 0})
    known = rows.store.checkpoints.known(rows.subscription)
    assert len({known[again], *rows.ids}) == 3
    assert rows.row(0).position == 100


def test_where_another_worker_was_faster_its_row_stands(rows):
    rows.store.checkpoints.create(rows.subscription, {rows.row().key: 7})
    assert rows.row().position == 100
    assert Checkpoint.objects.count() == 2


def test_held_records_are_shown_only_by_the_owner(rows):
    worker = rows.worker()
    [old] = rows.store.leases.take(worker, rows.ids[:1])
    [new] = rows.store.leases.take(rows.worker(), rows.ids[:1])
    held = Held(old.checkpoint, 100, "unknown carrier")
    rows.store.records.hold([held], {old.checkpoint: old.epoch})
    assert not HeldRecord.objects.exists()
    rows.store.records.hold([held, held], {new.checkpoint: new.epoch})
    assert HeldRecord.objects.get().reason == "unknown carrier"


def test_a_takeover_forgets_held_records_because_they_come_again(rows):
    [taken] = rows.store.leases.take(rows.worker(), rows.ids[:1])
    rows.store.records.hold([Held(taken.checkpoint, 100, "")], {taken.checkpoint: taken.epoch})
    rows.store.leases.take(rows.worker(), rows.ids[:1])
    assert not HeldRecord.objects.exists()


def test_an_undecodable_record_is_kept_whole_and_once(rows):
    record = Record(Shard("orders", "0"), 5, b"\xff", b"key", {"trace": b"\x00\x01"})
    for _ in range(2):
        rows.store.records.quarantine("orders", record, "not JSON")
    kept = Quarantined.objects.get()
    assert (bytes(kept.value), bytes(kept.key), kept.headers) == (b"\xff", b"key", {"trace": "AAE="})
    assert (kept.stream, kept.shard, kept.position, kept.reason) == ("orders", "0", 5, "not JSON")


def test_a_rewind_is_stamped_by_whoever_reads_from_there(rows):
    worker = rows.worker()
    [taken] = rows.store.leases.take(worker, rows.ids[:1])
    rewind = Rewind.objects.create(
        subscription_id=rows.subscription, target="earliest", origin="command", requested_at=ClockNow()
    )
    for epoch in (taken.epoch, taken.epoch + 1):
        RewoundShard.objects.create(
            rewind=rewind, checkpoint_id=taken.checkpoint, old_position=9, new_position=0, epoch=epoch
        )
    assert rows.store.checkpoints.unseen_rewinds(rows.ids) == {taken.checkpoint}
    rows.store.checkpoints.stamp_rewinds(worker, {taken.checkpoint: taken.epoch})
    seen, later = RewoundShard.objects.order_by("epoch")
    assert (seen.applied_by_id, later.applied_by_id) == (worker, None)
    assert seen.applied_at is not None


def test_orphans_are_subscriptions_that_nothing_mounts(rows):
    assert rows.store.subscriptions.orphans({"orders"}) == []
    assert rows.store.subscriptions.orphans({"renamed"}) == [("orders", 2)]


def test_a_zombie_does_not_delete_the_held_records_that_the_new_owner_shows(rows):
    [old] = rows.store.leases.take(rows.worker(), rows.ids[:1])
    [new] = rows.store.leases.take(rows.worker(), rows.ids[:1])
    rows.store.records.hold([Held(new.checkpoint, 100, "")], {new.checkpoint: new.epoch})
    rows.store.checkpoints.forget_held({old.checkpoint: old.epoch})
    assert HeldRecord.objects.exists()
    rows.store.checkpoints.forget_held({new.checkpoint: new.epoch})
    assert not HeldRecord.objects.exists()


def test_nor_one_that_has_ended_for_the_zombie_only(rows):
    [old] = rows.store.leases.take(rows.worker(), rows.ids[:1])
    [new] = rows.store.leases.take(rows.worker(), rows.ids[:1])
    rows.store.records.hold([Held(new.checkpoint, 100, "")], {new.checkpoint: new.epoch})
    rows.store.records.settle([(old.checkpoint, 100)], {old.checkpoint: old.epoch})
    assert HeldRecord.objects.exists()
    rows.store.records.settle([(new.checkpoint, 100)], {new.checkpoint: new.epoch})
    assert not HeldRecord.objects.exists()


def test_the_first_rows_and_the_note_of_the_start_are_written_together(rows, monkeypatch):
    Subscription.objects.update(started_at=None)

    def crash(_: int) -> None:
        raise RuntimeError("killed")

    monkeypatch.setattr(rows.store.subscriptions, "start", crash)
    with pytest.raises(RuntimeError):
        rows.store.begin(rows.subscription, {Shard("orders", "7"): 0})
    assert Shard("orders", "7") not in rows.store.checkpoints.known(rows.subscription)
