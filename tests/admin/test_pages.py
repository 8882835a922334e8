"""The pages show what is there, change nothing, and cost the same for 10 and for 300 rows."""

import re
from datetime import timedelta

import pytest
from django.contrib.admin import AdminSite
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.html import strip_tags

from streamapp.admin import register
from streamapp.admin.reading import BoundedPaginator
from streamapp.models import (
    Alert,
    AuditEntry,
    Checkpoint,
    DeadLetter,
    DelayedRecord,
    DryRun,
    HeldRecord,
    Lease,
    Pause,
    Quarantined,
    Rewind,
    RewoundShard,
    Skip,
    SkippedRecord,
    Subscription,
    Where,
    Worker,
)
from streamapp.models.worker import WorkerState
from streamapp.positions import Earliest
from streamapp.records import Record, Shard
from streamapp.services import rewind
from streamapp.services.workers import worker_state
from streamapp.store.audit import Asker
from streamapp.store.skips import Skipped
from tests.admin.scenes import DAWN, STORE, fail, hold, started, subscription, worker

LISTS = {
    "subscription": "runconsumers",
    "checkpoint": "runconsumers",
    "worker": "runconsumers",
    "quarantined": "Nothing to do",
    "delayedrecord": "Nothing to do",
    "deadletter": "Nothing to do",
    "skip": "Nothing to do",
    "rewind": "take the action",
    "heldrecord": "its handler holds",
    "auditentry": "each action is a row",
    "dryrun": "Set DRY_RUN = True",
}

STATES = ("alive", "drained", "silent", "dead", "departed")


def page(client, path, **query):
    response = client.get(f"/admin/streamapp/{path}", query)
    assert response.status_code == 200, path
    return response.content.decode()


@pytest.mark.parametrize("name, words", LISTS.items())
def test_an_empty_list_says_what_to_do_first(looker, name, words):
    assert words in page(looker, f"{name}/")


@pytest.mark.parametrize("name", LISTS)
def test_a_search_without_a_result_does_not_pretend_that_nothing_is_there(looker, rows, name):
    assert "Nothing here yet" not in page(looker, f"{name}/", q="xyz")


def test_subscriptions_show_shards_held_records_and_the_oldest_checkpoint(looker, rows):
    hold(rows[0], 70)
    hold(rows[1], 70)
    Checkpoint.objects.filter(pk=rows[2].pk).update(saved_at=timezone.now() - timedelta(hours=3))
    text = page(looker, "subscription/")
    assert '?subscription=ledger.spend">3</a>' in text
    assert '?subscription=ledger.spend&amp;attention=held">2</a>' in text
    assert "3 h 0 min ago" in text
    assert re.search(r"\d\d:\d\d:\d\d C[SD]T</small>", text), "times come with their zone"


def test_the_links_of_a_subscription_narrow_the_shards_and_show_it(looker, rows):
    started("shipping.ship", {Shard("parcels", "0"): 5})
    hold(rows[1], 70)
    assert "parcels/0" not in page(looker, "checkpoint/", subscription="ledger.spend")
    held = page(looker, "checkpoint/", subscription="ledger.spend", attention="held")
    assert re.findall(r">(orders/\d)</span></a>", held) == ["orders/1"]


def test_shards_show_who_reads_them_and_whether_it_lives(looker, rows):
    identity = worker(rows[:1])
    text = page(looker, "checkpoint/")
    assert str(Worker.objects.get(pk=identity)) in text
    assert (text.count(">alive<"), text.count(">nobody<")) == (1, 2)
    assert unread(looker) == ["orders/1", "orders/2"]
    Worker.objects.update(heartbeat_at=DAWN)
    assert ">silent<" in page(looker, "worker/")
    assert unread(looker) == ["orders/0", "orders/1", "orders/2"]


def unread(client):
    return re.findall(r">(orders/\d)</span></a>", page(client, "checkpoint/", attention="unread"))


def test_the_page_of_a_shard_shows_the_records_it_waits_for(looker, rows):
    hold(rows[0], 74, "no <carrier>")
    assert "74: no &lt;carrier&gt;" in strip_tags(page(looker, f"checkpoint/{rows[0].pk}/change/"))


def test_the_page_of_a_shard_explains_its_words_and_shows_that_nothing_is_held(looker, rows):
    text = page(looker, f"checkpoint/{rows[0].pk}/change/")
    for words in (
        "Grows with every rewind, skip, split and merge.",
        "Grows with every take-over",
        "made again has another",
    ):
        assert words in text
    held = re.search(r"First held records:.*?readonly\">(.*?)</div>", text, re.DOTALL)
    assert held and held[1] == "–"


def test_shards_can_be_narrowed_to_a_subscription_from_the_whole_list(looker, rows):
    started("shipping.ship", {Shard("parcels", "0"): 5})
    text = page(looker, "checkpoint/")
    assert "?subscription=ledger.spend" in text and "?subscription=shipping.ship" in text


def test_the_name_of_a_shard_never_breaks_at_its_hyphen(looker, rows):
    assert '<span class="streamapp-nowrap">orders/0</span>' in page(looker, "checkpoint/")


def test_the_time_to_live_of_a_worker_has_a_unit(looker, rows):
    assert "12 s" in page(looker, f"worker/{worker(rows)}/change/")


@pytest.mark.parametrize(
    "value, shown",
    [
        ("<script>alert(1)</script> ü".encode(), "&lt;script&gt;alert(1)&lt;/script&gt; ü"),
        (b"\xff\x00\x10", "hex: ff 00 10"),
        (None, "null"),
        (b"a" * 50_000, "cut here; 50,000 bytes in all"),
    ],
)
def test_the_payload_of_a_quarantined_record_is_text_or_hexadecimal_and_harmless(reader, value, shown):
    record = Record(Shard("orders", "0"), 12, value, b"key", {"trace": b"<b>"})
    STORE.records.quarantine("ledger.spend", record, "not JSON")
    text = page(reader, f"quarantined/{Quarantined.objects.get().pk}/change/")
    assert shown in text and "<script>alert" not in text
    assert "&lt;b&gt;" in text and "orders/0@12" in text


def test_a_rewind_shows_its_shards_waiting_ones_first(looker, rows):
    identity = worker(rows)
    row = rewind.apply(rewind.plan_mounted("ledger.spend", Earliest()), origin="command", reason="wrong rate")
    STORE.checkpoints.stamp_rewinds(identity, {rows[0].pk: 2})
    text = page(looker, f"rewind/{row.pk}/change/")
    assert "Workers have applied 1 of 3 shards. 2 still wait." in text
    assert re.findall(r"orders/\d", text) == ["orders/1", "orders/2", "orders/0"]
    assert "1 of 3" in page(looker, "rewind/")


def test_a_rewind_of_many_shards_comes_in_pages(looker):
    started("ledger.spend", {Shard("orders", str(number)): 1 for number in range(230)})
    row = Rewind.objects.create(
        subscription=subscription("ledger.spend"), target="0", origin="t", requested_at=DAWN
    )
    RewoundShard.objects.bulk_create(
        RewoundShard(rewind=row, checkpoint=checkpoint, old_position=1, new_position=0, epoch=1)
        for checkpoint in Checkpoint.objects.all()
    )
    assert "Page 3 of 3" in page(looker, f"rewind/{row.pk}/change/", page=3)


def test_a_page_of_a_row_that_does_not_exist_leads_back(looker):
    assert looker.get("/admin/streamapp/rewind/999/change/").status_code == 302


@pytest.mark.parametrize("name", LISTS)
def test_nobody_adds_changes_or_deletes(admin_client, rows, name):
    rewind.apply(rewind.plan_mounted("ledger.spend", Earliest()), origin="test")
    worker(rows)
    STORE.records.quarantine("ledger.spend", Record(Shard("orders", "0"), 1, b"x"), "cut")
    fail("ledger.spend", Record(Shard("orders", "0"), 2, b"x"))
    STORE.skips.add(Skipped(rows[0].pk, 1, 70, 82, 12, "earliest"))
    hold(rows[0], 70)
    STORE.dry_runs.add("ledger.spend", Where.SHARD, (rows[0].key, 70), "orders/0@70", Asker("test"))
    model = {
        "subscription": Subscription,
        "checkpoint": Checkpoint,
        "worker": Worker,
        "quarantined": Quarantined,
        "delayedrecord": DelayedRecord,
        "deadletter": DeadLetter,
        "skip": Skip,
        "rewind": Rewind,
        "heldrecord": HeldRecord,
        "auditentry": AuditEntry,
        "dryrun": DryRun,
    }[name]
    pk = model.objects.first().pk
    answers = [
        admin_client.get(f"/admin/streamapp/{name}/add/"),
        admin_client.post(f"/admin/streamapp/{name}/{pk}/change/", {"position": 1, "name": "x"}),
        admin_client.post(f"/admin/streamapp/{name}/{pk}/delete/", {"post": "yes"}),
    ]
    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert "delete_selected" not in page(admin_client, f"{name}/")


def _fill(number):
    names = [f"s{n}" for n in range(number)]
    stored = Subscription.objects.bulk_create(Subscription(name=name, broker="local") for name in names)
    rows = Checkpoint.objects.bulk_create(
        Checkpoint(subscription=one, stream="orders", shard=one.name, position=5, saved_at=DAWN)
        for one in stored
    )
    identity = STORE.workers.register(names, 12.0)
    [present] = Worker.objects.filter(pk=identity)
    times = {"heartbeat_at": present.heartbeat_at, "started_at": DAWN, "ttl": present.ttl}
    workers = Worker.objects.bulk_create(Worker(host=name, process_id=1, **times) for name in names)
    pairs = list(zip(rows, workers, strict=True))
    Lease.objects.bulk_create(Lease(checkpoint=row, worker=owner, taken_at=DAWN) for row, owner in pairs)
    HeldRecord.objects.bulk_create(HeldRecord(checkpoint=row, position=5, held_at=DAWN) for row in rows)
    Quarantined.objects.bulk_create(
        Quarantined(subscription=name, shard=name, position=1, value=b"x", created_at=DAWN) for name in names
    )
    made = Rewind.objects.bulk_create(
        Rewind(subscription=one, target="0", requested_at=DAWN) for one in stored
    )
    RewoundShard.objects.bulk_create(
        RewoundShard(rewind=one, checkpoint=row, old_position=9, new_position=5, epoch=1)
        for one, row in zip(made, rows, strict=True)
    )
    AuditEntry.objects.bulk_create(AuditEntry(at=DAWN, action="pause", subscription=name) for name in names)
    Pause.objects.bulk_create(Pause(subscription=one, paused_by="ann", paused_at=DAWN) for one in stored)
    SkippedRecord.objects.bulk_create(
        SkippedRecord(checkpoint=row, position=5, asked_by="ann", asked_at=DAWN) for row in rows
    )
    Skip.objects.bulk_create(
        Skip(checkpoint=row, epoch=1, old_position=1, new_position=5, skipped_at=DAWN) for row in rows
    )
    Alert.objects.bulk_create(
        Alert(checkpoint=row, worker=owner, kind="stuck", position=5, since=DAWN) for row, owner in pairs
    )


@pytest.mark.parametrize("name", LISTS)
def test_a_list_takes_as_many_queries_for_300_rows_as_for_10(looker, name):
    counts = []
    for number in (10, 300):
        Subscription.objects.all().delete()
        Worker.objects.all().delete()
        Quarantined.objects.all().delete()
        _fill(number)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            page(looker, f"{name}/")
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 8


def test_a_long_list_is_counted_up_to_a_bound(monkeypatch):
    _fill(7)
    monkeypatch.setattr("streamapp.admin.reading.COUNTED_AT_MOST", 5)
    with CaptureQueriesContext(connection) as queries:
        assert BoundedPaginator(Checkpoint.objects.order_by("id"), 100).count == 5
    assert "LIMIT 5" in queries[0]["sql"]


@pytest.mark.parametrize("name", LISTS)
def test_no_page_carries_script_or_style_of_ours_in_its_text(looker, name):
    _fill(1)
    text = page(looker, f"{name}/")
    ours = text.split('id="content"', 1)[1]
    assert "<style" not in ours and " style=" not in ours and " onclick=" not in ours
    assert not re.search(r"<script(?![^>]*\bsrc=)", ours)


def test_a_site_of_the_projects_own_gets_all_pages():
    site = AdminSite("operations")
    register(site)
    assert {model.__name__.lower() for model in site._registry} == set(LISTS)


@pytest.mark.parametrize("word", STATES)
def test_workers_are_narrowed_to_each_word_that_the_list_says(looker, word):
    rows = {name: Worker.objects.filter(pk=STORE.workers.register(["ledger.spend"], 12.0)) for name in STATES}
    rows["drained"].update(drained_at=DAWN)
    rows["silent"].update(heartbeat_at=DAWN, drained_at=DAWN)
    for state in (WorkerState.DEAD, WorkerState.DEPARTED):
        rows[state].update(state=state)
    (row,) = looker.get("/admin/streamapp/worker/", {"state": word}).context["cl"].result_list
    assert (row, worker_state(row, row.now)) == (rows[word].get(), word)


def test_dead_and_departed_workers_are_told_apart(looker):
    for state in WorkerState:
        identity = STORE.workers.register(["ledger.spend"], 12.0)
        Worker.objects.filter(pk=identity).update(state=state)
    text = page(looker, "worker/")
    assert set(re.findall(r'streamapp-(\w+)">(\w+)<', text)) == {
        ("good", "alive"),
        ("bad", "dead"),
        ("idle", "departed"),
    }
