"""The overview tells in words how every subscription is, what needs somebody first, and changes nothing."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from streamapp.models import Checkpoint, Lag, Quarantined, Subscription, Trend, Worker
from streamapp.positions import SHARD_END
from streamapp.records import Record, Shard
from streamapp.services.overview import overview
from streamapp.services.states import Facts, State, state_of, urgency
from streamapp.store.alerts import AlertKind, Warned
from streamapp.store.lags import Sample
from tests.admin import kinesis
from tests.admin.scenes import DAWN, STORE, fail, hold, started, worker
from tests.admin.test_pages import _fill, page

PATH = "subscription/overview/"


def states():
    return {glance.name: str(glance.state) for glance in overview().glances}


def sample(rows, records, milliseconds=0):
    STORE.lags.write([Sample(row.pk, row.position, records, milliseconds) for row in rows])


def trend(row, minutes_ago, *, handled=0, records=0, milliseconds=0):
    minute = timezone.now().replace(second=0, microsecond=0) - timedelta(minutes=minutes_ago)
    Trend.objects.create(
        subscription=row.subscription,
        minute=minute,
        handled=handled,
        records=records,
        milliseconds=milliseconds,
    )


@pytest.mark.parametrize(
    "facts, state",
    [
        (Facts(workers=1), State.RUNNING),
        (Facts(workers=1, seconds=3.0, records=900), State.RUNNING),
        (Facts(workers=1, seconds=31.0), State.CATCHING_UP),
        (Facts(workers=1, records=1), State.CATCHING_UP),
        (Facts(workers=1, held=1, seconds=31.0), State.HELD),
        (Facts(workers=0, held=1), State.NO_WORKER),
        (Facts(workers=0, paused=True), State.PAUSED),
        (Facts(workers=1, paused=True, held=1), State.PAUSED),
        (Facts(workers=1, paused=True, stuck=1), State.STUCK),
    ],
)
def test_one_word_says_what_to_know_first(facts, state):
    assert state_of(facts) is state


def test_what_may_lose_records_comes_before_what_stands_still_and_that_before_what_moves():
    by_urgency = [
        Facts(workers=1, expiring=1),
        Facts(workers=1, stuck=1),
        Facts(workers=0),
        Facts(workers=1, held=1),
        Facts(workers=1, unread=1),
        Facts(workers=1, seconds=500.0),
        Facts(workers=1, paused=True),
        Facts(workers=1),
    ]
    ranks = [urgency(facts) for facts in by_urgency]
    assert ranks == sorted(set(ranks))


def test_a_subscription_that_has_never_run_is_shown_and_says_so(looker, rows):
    text = page(looker, PATH)
    assert re.search(r">shipping\.ship</th>.*?no worker.*?has not run yet", text, re.DOTALL)


def test_each_state_is_seen_in_the_rows_that_workers_leave(looker, rows):
    assert states()["ledger.spend"] == "no worker"
    identity = worker(rows)
    assert states()["ledger.spend"] == "running"
    sample(rows, 12_000, 60_000)
    assert states()["ledger.spend"] == "catching up"
    hold(rows[0], 70)
    assert states()["ledger.spend"] == "held"
    STORE.alerts.replace(identity, [Warned(rows[0].pk, AlertKind.STUCK, 74, 300)])
    assert states()["ledger.spend"] == "stuck"
    Worker.objects.update(heartbeat_at=DAWN)
    assert states()["ledger.spend"] == "no worker", "a silent worker is none, and its alerts count no more"


def test_the_row_has_every_figure_and_leads_on(looker, rows):
    worker(rows[:2])
    hold(rows[0], 70)
    sample(rows, 400, 61_000)
    trend(rows[0], 1, handled=1200)
    STORE.records.quarantine("ledger.spend", Record(rows[0].key, 1, b"{"), "cut")
    for position in (2, 3):
        fail("ledger.spend", Record(rows[0].key, position, b"{}"))
    text = page(looker, PATH)
    assert "1,200 records" in text and "1 min 1 s" in text and re.search(r"\d+ s ago", text)
    assert '?subscription=ledger.spend&amp;attention=held">1</a>' in text
    assert '?subscription=ledger.spend&amp;attention=unread">1 shard without a worker</a>' in text
    assert '/quarantined/?subscription=ledger.spend">1</a>' in text
    assert '/deadletter/?subscription=ledger.spend">2</a>' in text
    assert f'/subscription/{rows[0].subscription_id}/change/">ledger.spend</a>' in text
    assert re.search(r">1\d\.?\d?/s<|>20/s<", text), "1,200 records within one to two minutes"
    assert "<svg" in text and "at most 0 records" in text


def test_what_needs_somebody_comes_first_and_is_counted(looker, rows):
    worker(rows, "ledger.spend", "shipping.ship")
    others = started("shipping.ship", {Shard("parcels", "0"): 5})
    worker(others, "ledger.spend", "shipping.ship")
    assert "Nothing needs anybody." in page(looker, PATH)
    hold(others[0], 5)
    text = page(looker, PATH)
    assert "One subscription needs somebody." in text
    assert text.index(">shipping.ship<") < text.index(">ledger.spend<")


def test_the_oldest_checkpoint_is_of_those_that_have_something_before_them(rows):
    sample(rows[:1], 0)
    sample(rows[1:], 5)
    Checkpoint.objects.filter(pk=rows[0].pk).update(saved_at=DAWN)
    moved = timezone.now() - timedelta(hours=3)
    Checkpoint.objects.filter(pk=rows[1].pk).update(saved_at=moved)
    [glance] = overview("ledger.spend").glances
    assert glance.totals.oldest_at == moved


def test_finished_and_waiting_shards_miss_no_worker(mounted, settings):
    settings.STREAMAPP = kinesis.SETTINGS
    rows = kinesis.split()
    worker(rows[:1], "shipping.ship")
    [glance] = overview("shipping.ship").glances
    assert (glance.totals.shards, glance.facts.unread) == (3, 0)
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=SHARD_END)
    [glance] = overview("shipping.ship").glances
    assert (glance.totals.shards, glance.facts.unread) == (2, 2)


def test_a_lag_that_one_shard_does_not_know_has_no_sum(rows):
    sample(rows[:2], 7, 1000)
    sample(rows[2:], None, 90_000)
    [glance] = overview("ledger.spend").glances
    assert (glance.totals.lag.records, glance.totals.lag.seconds) == (None, 90.0)


def test_the_records_of_shards_that_were_not_sampled_yet_are_not_taken_for_none(rows):
    worker(rows)
    sample(rows[:1], 7, 1000)
    [glance] = overview("ledger.spend").glances
    assert (glance.totals.lag.records, glance.totals.lag.seconds) == (None, 1.0)


def test_the_fragment_is_the_rows_alone(looker, rows):
    text = page(looker, PATH, fragment="1")
    assert "ledger.spend" in text and "<html" not in text


def test_settings_that_can_not_be_used_are_told_and_the_rows_are_there(looker, rows, settings):
    settings.STREAMAPP = {"SUBSCRIPTIONS": {"ledger.spend": {}}}
    text = page(looker, PATH)
    assert "errornote" in text and "ledger.spend" in text


def test_an_empty_overview_says_what_to_do_first(looker, settings):
    settings.STREAMAPP = {}
    assert "runconsumers" in page(looker, PATH)


def test_the_app_leads_to_the_overview(looker):
    assert 'href="/admin/streamapp/subscription/overview/"' in page(looker, "")


def test_who_may_not_look_is_refused(client, django_user_model):
    client.force_login(django_user_model.objects.create_user("stranger", is_staff=True))
    assert client.get(f"/admin/streamapp/{PATH}").status_code == 403


def test_looking_takes_as_many_queries_for_300_subscriptions_as_for_10_and_writes_nothing(looker):
    counts = []
    for number in (10, 300):
        Subscription.objects.all().delete()
        Worker.objects.all().delete()
        Quarantined.objects.all().delete()
        _fill(number)
        with CaptureQueriesContext(connection) as queries:
            page(looker, PATH)
        counts.append(len(queries))
        assert not [each for each in queries if not each["sql"].startswith("SELECT")]
    assert counts[0] == counts[1] <= 15


def test_a_sample_that_grows_old_is_seen_to_be_old(looker, rows):
    sample(rows, 1)
    Lag.objects.filter(pk=rows[0].pk).update(sampled_at=timezone.now() - timedelta(minutes=9))
    assert re.search(r"9 min \d+ s ago", page(looker, PATH))
