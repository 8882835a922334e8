"""What is wrong now and what was lost, where an operator looks: the pages and `streams status`."""

import json
import re
from datetime import timedelta

import pytest

from streamapp.models import Alert, AlertKind, Skip, Worker
from streamapp.models.worker import WorkerState
from streamapp.store.alerts import Warned
from streamapp.store.skips import Skipped
from tests.admin.scenes import STORE, started, subscription, worker
from tests.admin.test_pages import page
from tests.commands.conftest import streams  # noqa: F401

STACK = 'File "streams.py", line 9, in ship\n    lock.acquire(<carrier>)'


@pytest.fixture
def stuck(rows):
    """A worker whose handler has been at one record for five minutes."""
    identity = worker(rows[:1])
    STORE.alerts.replace(identity, [Warned(rows[0].pk, AlertKind.STUCK, 74, 300, STACK)])
    return identity


@pytest.fixture
def skipped(rows):
    skip = Skipped(rows[1].pk, 1, 70, 82, 12, "earliest")
    STORE.skips.add(skip)
    STORE.skips.add(skip)
    return skip


def pages(rows, identity):
    own = subscription("ledger.spend")
    return [f"worker/{identity}/", f"subscription/{own.pk}/", f"checkpoint/{rows[0].pk}/"]


def test_a_stuck_handler_is_shown_with_place_age_and_code_on_worker_subscription_and_shard(
    looker, rows, stuck
):
    for path in pages(rows, stuck):
        text = page(looker, f"{path}change/")
        assert re.search(r"orders/0 at 74: the handler has been stuck for 5 min \d s: lock.acquire", text)
        assert "line 9, in ship\n    lock.acquire(&lt;carrier&gt;)</pre>" in text


def test_the_lists_count_alerts_and_lead_to_their_shards(looker, rows, stuck):
    assert 'attention=alert">1</a>' in page(looker, "subscription/")
    assert 'streamapp-bad">1</span>' in page(looker, "worker/")
    found = page(looker, "checkpoint/", attention="alert")
    assert re.findall(r">(orders/\d)</span></a>", found) == ["orders/0"]


@pytest.mark.parametrize("change", [{"state": WorkerState.DEAD}, {"ttl": timedelta()}], ids=str)
def test_what_a_dead_or_silent_worker_warned_of_counts_no_more(looker, rows, stuck, change, streams):  # noqa: F811
    Worker.objects.update(**change)
    assert all("stuck" not in page(looker, f"{path}change/") for path in pages(rows, stuck))
    assert "has been stuck" not in streams("status").text


def test_alerts_take_the_place_of_earlier_ones_of_their_worker_only(rows, stuck):
    other = worker(rows[1:2])
    STORE.alerts.replace(other, [Warned(rows[1].pk, AlertKind.STOPPED, 3, 0)])
    STORE.alerts.replace(stuck, [Warned(rows[0].pk, AlertKind.EXPIRING, 74, 0)])
    assert sorted(Alert.objects.values_list("kind", flat=True)) == ["expiring", "stopped"]


def test_status_tells_both(streams, rows, stuck, skipped):  # noqa: F811
    text = streams("status").text
    assert re.search(r"! orders/0 at 74: the handler has been stuck for 5 min \d s: lock.acquire", text)
    assert re.search(r"! orders/1 skipped 12 records from 70 to 82 \d s ago", text)
    [told] = json.loads(streams("status", "ledger.spend", "--json").text)
    assert (told["alerts"][0]["kind"], told["alerts"][0]["position"]) == ("stuck", 74)
    assert (told["skips"][0]["records"], told["skips"][0]["policy"]) == (12, "earliest")


def test_a_skip_is_written_down_once_and_found_in_the_admin(looker, rows, skipped):
    assert Skip.objects.count() == 1
    assert re.search(
        r"orders/1 skipped 12 records from 70 to 82", page(looker, f"checkpoint/{rows[1].pk}/change/")
    )
    listed = page(looker, "skip/")
    assert "ledger.spend" in listed and ">12<" in listed


def test_what_can_not_be_counted_is_said_to_be_unknown(streams, rows):  # noqa: F811
    STORE.skips.add(Skipped(rows[1].pk, 1, 70, 82, None, "latest"))
    assert "skipped an unknown number of records" in streams("status").text


def test_a_checkpoint_that_retention_has_passed_while_nobody_reads_is_told(streams, rows):  # noqa: F811
    started("ledger.spend", {})
    type(rows[0]).objects.filter(pk=rows[0].pk).update(position=30)
    assert "orders/0 has lost 10 records to retention already, and nobody reads it" in streams("status").text
