"""`manage.py streams pause|resume|skip|redeliver|release|drain`: review, then do; the exit code tells."""

import json
import os
import subprocess
import sys

import pytest

from streamapp.models import AuditEntry, Checkpoint, HeldRecord, Lease, Pause, SkippedRecord, Worker
from tests.admin.scenes import hold, log, started, worker


@pytest.fixture
def rows(streams):
    rows = started("ledger.spend", dict.fromkeys(log(first=40, end=90), 70))
    hold(rows[0], 70)
    return rows


@pytest.fixture
def identity(rows):
    """A worker that holds all shards, and the record with them."""
    identity = worker(rows)
    hold(rows[0], 70)
    return identity


def changed():
    """What of the rows says that an order was given."""
    return (
        Pause.objects.count(),
        SkippedRecord.objects.count(),
        AuditEntry.objects.count(),
        sum(Checkpoint.objects.values_list("revision", flat=True)),
        Worker.objects.filter(drained_at__isnull=False).count(),
    )


def test_a_review_says_what_would_happen_and_changes_nothing(streams, rows, identity):
    said = streams("pause", "ledger.spend", "--dry-run")
    assert said.text.splitlines() == [
        "pause ledger.spend: all shards",
        "  Nothing of ledger.spend is handled until somebody resumes: calls that run may end "
        "and are saved, the lag grows, leases and checkpoints stay. Shards that come later are paused too.",
        "  1 live worker follows within a second or so.",
        "Nothing has changed yet: --execute does it.",
    ]
    assert changed() == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    "words",
    [
        ("pause", "ledger.spend"),
        ("pause", "ledger.spend", "--shard", "orders/1"),
        ("skip", "ledger.spend", "orders/0@70", "--reason", "card number is missing"),
        ("redeliver", "ledger.spend"),
        ("release", "ledger.spend", "--shard", "2"),
    ],
)
def test_a_dry_run_and_the_deed_say_the_same(streams, rows, identity, words):
    reviewed = json.loads(streams(*words, "--dry-run", "--json").text)
    assert changed() == (0, 0, 0, 0, 0)
    done = json.loads(streams(*words, "--execute", "--json").text)
    assert (reviewed.pop("executed"), done.pop("executed")) == (False, True)
    assert reviewed == done
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.subject, entry.origin) == (words[0], done["subject"], "command")


def test_pausing_and_resuming(streams, rows):
    streams("pause", "ledger.spend", "--shard", "orders/1", "--shard", "2", "--execute", "--reason", "late")
    assert [(pause.checkpoint, pause.paused_by) for pause in Pause.objects.order_by("pk")] == [
        (rows[1], "command"),
        (rows[2], "command"),
    ]
    assert "orders/1 paused by command since" in streams("status").text
    streams("pause", "ledger.spend", "--execute", "--reason", "all of it")
    assert "  ! paused by command since" in streams("status").text
    said = streams("resume", "ledger.spend", "--execute")
    assert "Still paused by themselves: orders/1, orders/2." in said.text
    streams("resume", "ledger.spend", "--shard", "1", "--shard", "2", "--execute")
    assert not Pause.objects.exists()


def test_skipping_exactly_the_record_that_is_named(streams, rows):
    hold(rows[0], 75)
    said = streams("skip", "ledger.spend", "orders/0@75", "--reason", "no card", "--execute")
    assert (said.code, SkippedRecord.objects.get().position) == (0, 75)
    assert "No live worker reads the shard: it is settled as soon as one takes it." in said.text


def test_redelivering(streams, rows):
    streams("redeliver", "ledger.spend", "--execute")
    assert not HeldRecord.objects.exists()
    assert list(Checkpoint.objects.order_by("pk").values_list("epoch", flat=True)) == [1, 0, 0]


def test_releasing(streams, rows, identity):
    streams("release", "ledger.spend", "--shard", "orders/1", "--execute")
    assert list(Lease.objects.order_by("pk").values_list("worker", flat=True)) == [identity, None, identity]


def test_no_name_means_no_worker_though_there_is_one_only(streams, identity):
    """As when a script's variable is empty."""
    said = streams("drain", "", "--execute")
    assert (said.code, Worker.objects.get().drained_at) == (1, None)


def test_draining_and_the_undo(streams, rows, identity):
    said = streams("drain", str(identity)[:6], "--execute", "--reason", "new kernel")
    assert "gives 3 shards to other workers" in said.text
    assert "No other live worker runs ledger.spend" in said.text
    row = Worker.objects.get()
    assert (row.drained_by, row.drain_reason) == ("command", "new kernel")
    assert "drained" in streams("status", "ledger.spend").text
    streams("drain", f"{row.host}:{row.process_id}", "--undo", "--execute")
    assert Worker.objects.get().drained_at is None


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("pause", "ledger.spent"), "ledger.spent has no checkpoint yet"),
        (("pause", "ledger.spend", "--shard", "orders/9"), "no shard orders/9"),
        (("resume", "ledger.spend"), "ledger.spend isn't paused as a whole"),
        (("resume", "ledger.spend", "--shard", "1"), "Not paused by themselves: orders/1"),
        (("skip", "ledger.spend", "orders/0@71", "--reason", "x"), "orders/0@71 isn't held"),
        (("skip", "ledger.spend", "70", "--reason", "x"), "names no record"),
        (("redeliver", "ledger.spend", "--shard", "orders/1"), "holds no record"),
        (("release", "ledger.spend"), "Nobody holds all shards of ledger.spend"),
        (("drain", "nobody"), "No worker is called nobody"),
    ],
)
def test_what_can_not_be_done_ends_with_1_and_a_sentence(streams, rows, words, sentence):
    said = streams(*words, "--execute")
    assert (said.code, sentence in said.error) == (1, True), said.error
    assert changed() == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("reason", [(), ("--reason", " ")])
def test_a_skip_without_a_reason_is_a_wrong_use(streams, rows, reason):
    said = streams("skip", "ledger.spend", "orders/0@70", *reason, "--execute")
    assert (said.code, "needs a reason" in said.error) == (2, True)
    assert changed() == (0, 0, 0, 0, 0)


@pytest.mark.parametrize("choice", [[], ["--dry-run", "--execute"]])
def test_a_change_needs_exactly_one_of_dry_run_and_execute(choice):
    command = [sys.executable, "-m", "django", "streams", "pause", "ledger.spend", *choice]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "--dry-run" in done.stderr) == (2, True)
