"""The steps of a rewind: which shards, where to in every way, the last questions, two operators at once."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from streamapp.brokers.local import LocalBroker
from streamapp.exceptions import BrokerUnavailable
from streamapp.models import Checkpoint, History, Rewind
from streamapp.positions import At
from streamapp.services import rewind
from streamapp.services.flags import Flag
from tests.admin.scenes import DAWN, hold, log, position_of, started, worker
from tests.admin.wizard import ASK, REVIEW, SCOPE, apply, fields, review


def text_of(response):
    return " ".join(response.content.decode().split()).replace("&#x27;", "'")


def lines(response):
    return {line.shard: line.new for line in response.context["plan"].lines}


def step(client, asked, step, ticked=(), **more):
    return client.post(SCOPE, fields(asked) | {"ticked": list(ticked), "step": step, **more})


def noted(row, position, moment):
    History.objects.create(checkpoint=row, position=position, sampled_at=moment)


class Clock:
    """Lets time pass for whoever asks how old a signed review is."""

    def __init__(self, monkeypatch):
        self._passed = 0.0
        monkeypatch.setattr("django.core.signing.time.time", lambda: DAWN.timestamp() + self._passed)

    def pass_by(self, seconds):
        self._passed += seconds


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


# Which shards


def test_all_shards_are_ticked_at_first(operator, rows):
    asked = operator.get(ASK, {"subscription": "ledger.spend"})
    assert "3 of 3 shards are ticked." in text_of(asked)
    assert asked.content.decode().count(" checked") == 3


def test_unticked_shards_stay(operator, rows):
    asked = operator.get(ASK, {"subscription": "ledger.spend"})
    asked = step(operator, asked, "target", [rows[0].pk, rows[2].pk])
    apply(operator, operator.post(REVIEW, fields(asked) | {"kind": "earliest"}))
    assert [position_of(row) for row in rows] == [40, 70, 40]


def test_ticks_survive_a_search(operator, rows):
    asked = operator.get(ASK, {"subscription": "ledger.spend"})
    asked = step(operator, asked, "search", [rows[0].pk, rows[1].pk], text="2")
    assert "2 of 3 shards are ticked." in text_of(asked) and "1 shard is found:" in text_of(asked)
    asked = step(operator, asked, "tick", [], text="2")
    assert "3 of 3 shards are ticked." in text_of(asked)
    asked = step(operator, asked, "only", [rows[2].pk], text="2")
    assert "1 of 3 shards are ticked." in text_of(asked)


def test_damaged_numbers_tick_no_shard_and_turn_no_page(operator, rows):
    asked = operator.get(ASK, {"subscription": "ledger.spend", "chosen": "9" * 30})
    assert "0 shards are chosen" in text_of(asked)
    asked = operator.get(ASK, {"subscription": "ledger.spend"})
    for damaged in ("9" * 30, "9" * 5000, "٣"):
        asked = step(operator, asked, f"page {damaged}", [damaged])
        assert "0 of 3 shards are ticked." in text_of(asked)


def test_going_on_without_a_tick_is_refused(operator, rows):
    asked = operator.get(ASK, {"subscription": "ledger.spend"})
    assert "No shard is ticked." in text_of(step(operator, asked, "target"))


@pytest.mark.timeout(120)
def test_ten_thousand_shards_are_chosen_and_reviewed_page_by_page(operator, django_assert_max_num_queries):
    many = log(partitions=10_000, first=0, end=2)
    started("ledger.spend", dict.fromkeys(many, 1))
    with django_assert_max_num_queries(15):
        asked = operator.get(ASK, {"subscription": "ledger.spend"})
    asked = step(operator, asked, "search", fields(asked)["shown"].split(","), text="999")
    asked = step(operator, asked, "untick", fields(asked)["shown"].split(","), text="999")
    asked = step(operator, asked, "target", text="999")
    with django_assert_max_num_queries(15):
        reviewed = operator.post(REVIEW, fields(asked) | {"kind": "earliest"})
    assert len(lines(reviewed)) == 9_981
    turned = operator.post(REVIEW, fields(reviewed) | {"page": "2", "reason": "half written"})
    assert "Page 2 of 100" in text_of(turned) and "half written" in text_of(turned)
    apply(operator, turned, name="ledger.spend")
    assert Checkpoint.objects.filter(position=0).count() == 9_981


@pytest.mark.timeout(120)
@pytest.mark.parametrize("target", [{"kind": "earliest"}, {"kind": "ago", "ago": "3650d"}])
def test_the_pages_of_ten_thousand_shards_take_15_queries_each(
    admin_client, target, django_assert_max_num_queries
):
    many = log(partitions=10_000, first=0, end=2)
    rows = started("ledger.spend", dict.fromkeys(many, 1))
    worker(rows[:9_000])
    hold(rows[0], 1)
    for page in ("subscription/overview/", "checkpoint/"):
        with django_assert_max_num_queries(15):
            assert admin_client.get(f"/admin/streamapp/{page}").status_code == 200
    with django_assert_max_num_queries(15):
        reviewed = admin_client.post(REVIEW, {"subscription": "ledger.spend", "chosen": "", **target})
    assert reviewed.context["plan"].scope == "10,000 shards"
    assert reviewed.context["plan"].effect.startswith("10,000 records read again")
    assert reviewed.content.decode().count('<pre class="streamapp-first">') == 100


def test_without_a_subscription_the_first_question_is_which(operator, rows):
    assert '<a href="?subscription=ledger.spend">' in operator.get(ASK).content.decode()


# Where to


def test_positions_that_were_left_as_they_are_stay_even_if_the_worker_reads_on_meanwhile(operator, rows):
    asked = operator.post(
        SCOPE, {"subscription": "ledger.spend", "step": "target", "shown": "", "chosen": ""}
    )
    before = "orders/0@70\norders/1@70\norders/2@70"
    assert before in asked.content.decode()
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=77)
    typed = {"kind": "exact", "exact": before.replace("1@70", "1@55"), "initial-exact": before}
    reviewed = operator.post(REVIEW, fields(asked) | typed)
    assert lines(reviewed) == {"orders/1": 55}


def test_a_shift_counts_from_each_checkpoint(operator, rows):
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=60)
    assert lines(review(operator, rows, {"kind": "shift", "records": "-5"})) == {
        "orders/0": 55,
        "orders/1": 65,
        "orders/2": 65,
    }


def test_a_moment_is_echoed_in_its_zone_and_in_utc(operator, rows):
    asked = {"kind": "moment", "moment": "2026-11-01 01:50", "zone": "Europe/Berlin"}
    reviewed = review(operator, rows, asked)
    assert "2026-11-01 01:50:00 Europe/Berlin = 2026-11-01 00:50:00 UTC" in text_of(reviewed)
    assert set(lines(reviewed).values()) == {50}


def test_a_moment_with_nothing_after_it_says_so(operator, rows):
    reviewed = review(operator, rows, {"kind": "moment", "moment": "2026-11-02 00:00", "zone": "UTC"})
    assert "3 shards: nothing after that time: moved to the end" in text_of(reviewed)


def test_the_checkpoints_of_a_moment_come_back_and_a_shard_without_one_stays(operator, rows):
    for minutes, position in ((0, 41), (10, 44), (20, 48)):
        noted(rows[0], position, DAWN + timedelta(minutes=minutes))
    noted(rows[1], 47, DAWN + timedelta(minutes=15))
    noted(rows[2], 69, DAWN + timedelta(minutes=30))
    asked = {"kind": "as_of", "as_of": "2026-11-01 00:15", "as_of_zone": "UTC"}
    reviewed = review(operator, rows, asked)
    assert lines(reviewed) == {"orders/0": 44, "orders/1": 47}
    assert f"orders/2: {Flag.NO_SAMPLE.value}" in text_of(reviewed)
    apply(operator, reviewed)
    assert [position_of(row) for row in rows] == [44, 47, 70]


def test_a_checkpoint_that_was_rewound_since_its_last_note_comes_back_to_where_the_rewind_put_it(
    operator, rows
):
    for row in rows[:2]:
        noted(row, 70, timezone.now() - timedelta(hours=8))
    rewind.apply(rewind.plan_mounted("ledger.spend", At("0", 45)), origin="test")
    Rewind.objects.update(requested_at=timezone.now() - timedelta(hours=7))
    between = {"kind": "as_of", "as_of": (timezone.now() - timedelta(hours=6)).isoformat()}
    assert lines(review(operator, rows, between)) == {"orders/0": 45, "orders/1": 70}
    before = {"kind": "as_of", "as_of": (timezone.now() - timedelta(hours=7.5)).isoformat()}
    assert lines(review(operator, rows, before)) == {"orders/0": 70, "orders/1": 70}
    noted(rows[0], 47, timezone.now() - timedelta(hours=6.5))
    assert lines(review(operator, rows, between)) == {"orders/0": 47, "orders/1": 70}


def test_a_file_of_kafkas_own_tool_is_taken(operator, rows):
    file = SimpleUploadedFile("positions.csv", b"orders,0,41\norders,2,89\n")
    apply(operator, review(operator, rows, {"kind": "csv", "file": file}))
    assert [position_of(row) for row in rows] == [41, 70, 89]


def test_a_number_behind_the_end_is_moved_there_only_when_that_is_ticked(operator, rows):
    refused = review(operator, rows, {"kind": "exact", "exact": "1@4000"})
    assert "orders/1 ends at 90" in refused.context["form"].errors["exact"][0]
    allowed = review(operator, rows, {"kind": "exact", "exact": "1@4000", "clamp": "on"})
    assert lines(allowed) == {"orders/1": 90}


def test_a_mounted_replay_is_said_in_the_review(operator, rows, settings):
    spend = {**settings.STREAMAPP["SUBSCRIPTIONS"]["ledger.spend"], "REPLAY_FROM": "earliest"}
    settings.STREAMAPP = {**settings.STREAMAPP, "SUBSCRIPTIONS": {"ledger.spend": spend}}
    assert "REPLAY_FROM is mounted as earliest" in text_of(review(operator, rows, "1@55"))


# The last questions


def test_without_a_reason_nothing_is_applied_and_the_review_stays(operator, rows):
    answer = apply(operator, review(operator, rows, "earliest"), reason=" ")
    assert answer.context["form"].errors["reason"]
    assert "Nothing has changed yet." in text_of(answer) and Rewind.objects.count() == 0


def test_a_large_move_needs_the_name_of_the_subscription(operator):
    rows = started("ledger.spend", dict.fromkeys(log(partitions=101, first=0, end=1), 1))
    reviewed = review(operator, rows, "earliest")
    answer = apply(operator, reviewed, name="ledger.spent")
    assert "That is not ledger.spend." in text_of(answer) and Rewind.objects.count() == 0
    apply(operator, reviewed, name="ledger.spend")
    assert position_of(rows[0]) == 0


def test_the_first_record_at_the_new_position_is_shown_to_who_may_see_records(admin_client, operator, rows):
    shown = text_of(review(admin_client, rows, "1@55"))
    assert "First record there" in shown and ":55:00" in shown
    assert '<pre class="streamapp-first">{}</pre>' in shown
    assert "First record there" not in text_of(review(operator, rows, "1@55"))


def test_every_shard_of_the_page_shows_its_own_first_record_and_none_is_left_out(admin_client):
    rows = started("ledger.spend", dict.fromkeys(log(partitions=30, first=0, end=3), 2))
    reviewed = review(admin_client, rows, "earliest")
    assert reviewed.content.decode().count('<pre class="streamapp-first">') == 30
    assert reviewed.context["firsts_note"] == "" and "not looked at" not in text_of(reviewed)


def test_a_shard_that_was_not_reached_in_time_says_so_and_the_page_says_why(admin_client, rows, monkeypatch):
    whole = LocalBroker.firsts
    monkeypatch.setattr(LocalBroker, "firsts", lambda *given: dict([*whole(*given).items()][:1]))
    reviewed = review(admin_client, rows, "earliest")
    assert text_of(reviewed).count("not looked at") == 2
    assert "The first records of 1 of these 3 shards are shown: a review looks" in text_of(reviewed)


def test_a_broker_that_does_not_answer_costs_the_records_and_not_the_review(admin_client, rows, monkeypatch):
    def refuse(*_):
        raise BrokerUnavailable("It didn't answer within 3 s.")

    monkeypatch.setattr(LocalBroker, "firsts", refuse)
    reviewed = review(admin_client, rows, "earliest")
    assert "First records can't be shown: It didn't answer within 3 s." in text_of(reviewed)
    assert set(lines(reviewed).values()) == {40}


def test_turning_pages_and_missing_reasons_do_not_make_the_hour_of_a_review_longer(operator, rows, clock):
    reviewed = review(operator, rows, "earliest")
    clock.pass_by(3000)
    turned = operator.post(REVIEW, fields(reviewed) | {"page": "1"})
    asked_again = apply(operator, turned, reason="")
    clock.pass_by(1000)
    assert "The review is older than" in text_of(apply(operator, asked_again))
    assert Rewind.objects.count() == 0


# Two operators


def test_a_stale_plan_shows_what_changed_and_reviews_the_same_again(operator, rows):
    reviewed = review(operator, rows[:2], "earliest")
    rewind.apply(rewind.plan_mounted("ledger.spend", At("1", 55)), origin="test")
    refused = apply(operator, reviewed)
    assert refused.status_code == 409
    assert refused.context["changes"] == [{"shard": "orders/1", "reviewed": "70", "now": "55"}]
    again = operator.post(REVIEW, fields(refused))
    assert lines(again) == {"orders/0": 40, "orders/1": 40}
    apply(operator, again)
    assert [position_of(row) for row in rows] == [40, 40, 70]


# Afterwards


def undo(client, row):
    return client.post(f"{ASK}undo/{row.pk}/")


def test_the_page_of_a_rewind_leads_to_its_undo(operator, rows):
    apply(operator, review(operator, rows, "earliest"))
    row = Rewind.objects.get()
    page = operator.get(f"/admin/streamapp/rewind/{row.pk}/change/")
    assert f"/checkpoint/rewind/undo/{row.pk}/" in page.content.decode()
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=45)
    reviewed = undo(operator, row)
    assert f"python manage.py streams undo {row.pk} " in text_of(reviewed)
    assert f"1 shard: {Flag.MOVED_ON.value}" in text_of(reviewed)
    apply(operator, reviewed)
    assert [position_of(each) for each in rows] == [70, 70, 70]
    assert Rewind.objects.latest("id").undoes == row
    assert "undone by" in text_of(operator.get(f"/admin/streamapp/rewind/{row.pk}/change/")).lower()


def test_an_undo_is_for_who_may_rewind_and_by_post_only(operator, looker, rows):
    apply(operator, review(operator, rows, "earliest"))
    row = Rewind.objects.get()
    assert undo(looker, row).status_code == 403
    assert "rewind/undo/" not in looker.get(f"/admin/streamapp/rewind/{row.pk}/change/").content.decode()
    assert operator.get(f"{ASK}undo/{row.pk}/").status_code == 302


def test_a_viewer_is_refused_at_every_step(looker, rows):
    for url in (ASK, SCOPE, REVIEW):
        assert looker.get(url).status_code == looker.post(url).status_code == 403


def test_the_page_of_a_rewind_looks_again_until_nothing_more_will_be_told(operator, rows):
    apply(operator, review(operator, rows, "earliest"))
    row = Rewind.objects.get()
    page = f"/admin/streamapp/rewind/{row.pk}/change/"
    assert 'data-seconds="1"' in operator.get(page).content.decode()
    row.shards.update(seen_at=timezone.now(), applied_at=timezone.now())
    assert "applied: read from there" in text_of(operator.get(page))
    row.shards.update(read_at=datetime.now(UTC))
    assert 'data-seconds="1"' not in operator.get(page).content.decode()
