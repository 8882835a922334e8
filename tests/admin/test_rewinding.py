"""The rewind in the admin: choose, ask, review, apply."""

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from streamapp.models import Checkpoint, Rewind
from streamapp.positions import At
from streamapp.records import Shard
from streamapp.services import rewind
from tests.admin.scenes import hold, position_of, started, worker
from tests.admin.wizard import APPLY, LIST, REVIEW, apply, choose, fields, review


def file(text):
    return SimpleUploadedFile("positions.csv", text.encode())


BAD = [
    ({"kind": "exact", "exact": "yesterday"}, "exact", "names no shard"),
    ({"kind": "exact", "exact": "orders/2@50"}, "exact", "isn't among the chosen"),
    ({"kind": "exact", "exact": "9@1"}, "exact", "9@1"),
    ({"kind": "exact", "exact": ""}, "exact", "a shard and its position"),
    ({"kind": "exact", "exact": "0@x"}, "exact", "is no offset"),
    ({"kind": "exact", "exact": "1@91"}, "exact", "orders/1 ends at 90"),
    ({"kind": "moment", "moment": "2026-11-01 00:50", "zone": ""}, "moment", "has no time zone"),
    ({"kind": "moment", "moment": "2126-11-01 00:50", "zone": "UTC"}, "moment", "is in the future"),
    ({"kind": "moment", "moment": "soon", "zone": "UTC"}, "moment", "is no date and time"),
    ({"kind": "moment", "moment": "2026-03-29 02:30", "zone": "Europe/Berlin"}, "moment", "doesn't exist"),
    ({"kind": "moment", "moment": "2026-10-25 02:30", "zone": "Europe/Berlin"}, "moment", "exists twice"),
    ({"kind": "as_of", "as_of": "2126-11-01 00:50", "as_of_zone": "UTC"}, "as_of", "is in the future"),
    (
        {"kind": "as_of", "as_of": "2026-11-01 00:50", "as_of_zone": "UTC"},
        "as_of",
        "No checkpoint of the chosen",
    ),
    ({"kind": "ago", "ago": "a while"}, "ago", "is not a position"),
    ({"kind": "shift", "records": "0"}, "records", "other than 0"),
    ({"kind": "csv"}, "file", "Choose a file"),
    ({"kind": "csv", "file": file("orders,9,50")}, "file", "orders/9@50 names a shard that isn't among"),
    ({"kind": "csv", "file": file("orders,1")}, "file", "Line 1 isn't topic,partition,offset"),
    ({"kind": "csv", "file": file("orders,1,91")}, "file", "orders/1 ends at 90"),
    ({"kind": "csv", "file": file(f"orders,1,{'1' * 200_000}")}, "file", "isn't lines topic"),
    ({"kind": "moment", "moment": "0001-01-01T00:00+14:00", "zone": "UTC"}, "moment", "the years 2 to 9998"),
    ({"kind": "moment", "moment": "9999-12-31 23:59", "zone": "America/New_York"}, "moment", "2 to 9998"),
    ({"kind": "as_of", "as_of": "0001-01-01 00:00", "as_of_zone": "Asia/Tokyo"}, "as_of", "2 to 9998"),
]
EVERY_KIND = ["earliest", "latest", "1@55", "orders/1@55", "1@3", "1@4000", "2026-11-01T00:50:30Z", "-36500d"]


@pytest.mark.parametrize("position", EVERY_KIND)
def test_the_stored_positions_are_those_that_were_reviewed(operator, rows, position):
    reviewed = review(operator, rows, position)
    lines = {line.checkpoint: line.new for line in reviewed.context["plan"].lines}
    for number in lines.values():
        assert f"<b>{number}</b>" in reviewed.content.decode()
    assert [position_of(row) for row in rows] == [70, 70, 70]
    apply(operator, reviewed)
    assert {row.pk: position_of(row) for row in rows if row.pk in lines} == lines


@pytest.mark.parametrize(
    ("chosen", "field", "sentence"),
    [
        ("999999", "kind", "None of the chosen shards"),
        ("9" * 30, "chosen", "arrived damaged"),
        ("9" * 5000, "chosen", "arrived damaged"),
    ],
)
def test_shards_that_are_not_there_or_arrived_damaged_are_said_to_be(operator, rows, chosen, field, sentence):
    asked = fields(choose(operator, rows[:2])) | {"kind": "earliest", "chosen": chosen}
    assert sentence in operator.post(REVIEW, asked).context["form"].errors[field][0]


def test_only_the_chosen_shards_move(operator, rows):
    apply(operator, review(operator, rows[:2], "earliest"))
    assert [position_of(row) for row in rows] == [40, 40, 70]


def test_all_shards_of_a_filtered_list_are_taken_when_the_operator_asks_for_all(operator, rows):
    started("shipping.ship", {Shard("parcels", "0"): 5})
    response = operator.post(
        f"{LIST}?subscription=ledger.spend",
        {"action": "rewind", "_selected_action": [rows[0].pk], "select_across": "1"},
    )
    assert "3 shards are chosen. That is all of the subscription." in " ".join(
        response.content.decode().split()
    )


def test_the_review_shows_the_effect_the_notes_and_the_command(operator, rows):
    worker(rows[:1])
    text = review(operator, rows[:2], "0@10").content.decode()
    assert "30 records read again" in text
    assert "not kept any more: moved to the oldest record" in text
    assert "One other chosen shard isn't named by the position and stays." in " ".join(text.split()).replace(
        "&#x27;", "'"
    )
    assert "python manage.py streams rewind ledger.spend 0@10 --clamp --shard orders/0" in text


def test_the_review_of_a_held_record_says_that_all_behind_it_comes_again(operator, rows):
    hold(rows[0], 70)
    text = review(operator, rows, "0@70").content.decode()
    assert "all from 70 on read again" in text and "so the count there is a minimum" in text
    assert "nothing moves" not in text and "already there" not in text
    assert 'streamapp-warn">holds records' in text


def test_the_result_is_the_page_of_the_rewind_with_its_shards(operator, rows):
    done = apply(operator, review(operator, rows, "earliest"), "wrong rate")
    row = Rewind.objects.get()
    assert done.redirect_chain[-1][0] == f"/admin/streamapp/rewind/{row.pk}/change/"
    assert (row.user.username, row.origin, row.reason) == ("operator", "admin", "wrong rate")
    assert "Workers have applied 0 of 3 shards" in done.content.decode()


def test_the_log_of_the_admin_names_the_subscription(operator, rows):
    apply(operator, review(operator, rows, "earliest"))
    entry = LogEntry.objects.get()
    assert (entry.object_repr, entry.user.username) == ("ledger.spend", "operator")
    assert "3 shards to earliest" in entry.get_change_message()


@pytest.mark.parametrize(
    "asked, field, sentence",
    BAD,
)
def test_what_is_wrong_is_an_error_at_its_field_and_keeps_the_rest(operator, rows, asked, field, sentence):
    response = review(operator, rows[:2], asked)
    form = response.context["form"]
    assert sentence in form.errors[field][0]
    assert f'value="{asked["kind"]}" checked' in response.content.decode()
    assert fields(response)["chosen"] == f"{rows[0].pk},{rows[1].pk}"
    assert Rewind.objects.count() == 0


def test_shards_of_two_subscriptions_are_refused(operator, rows):
    [other] = started("shipping.ship", {Shard("parcels", "0"): 5})
    assert "Choose shards of one subscription" in choose(operator, [rows[0], other]).content.decode()


def test_what_another_operator_changed_meanwhile_is_said_and_nothing_is_written(operator, rows):
    reviewed = review(operator, rows, "earliest")
    rewind.apply(rewind.plan_mounted("ledger.spend", At("1", 55)), origin="test")
    answer = apply(operator, reviewed)
    assert "orders/1 was moved to 55" in answer.content.decode()
    assert [position_of(row) for row in rows] == [70, 55, 70]


def test_a_second_click_on_apply_changes_nothing(operator, rows):
    reviewed = review(operator, rows, "earliest")
    apply(operator, reviewed)
    answer = apply(operator, reviewed)
    assert "Nothing was rewound" in answer.content.decode()
    assert Rewind.objects.count() == 1


def test_a_plan_that_was_tampered_with_is_refused(operator, rows):
    reviewed = review(operator, rows, "earliest")
    answer = operator.post(APPLY, fields(reviewed) | {"plan": fields(reviewed)["plan"][::-1]}, follow=True)
    assert "arrived changed" in answer.content.decode()
    assert Rewind.objects.count() == 0


def test_without_the_permission_there_is_no_action_and_no_url(looker, operator, rows):
    assert 'value="rewind"' not in looker.get(LIST).content.decode()
    choose(looker, rows)
    hidden = fields(review(operator, rows, "earliest")) | {"reason": "a test"}
    assert looker.post(REVIEW, {"subscription": "ledger.spend", "kind": "latest"}).status_code == 403
    assert looker.post(APPLY, hidden).status_code == 403
    assert looker.get(APPLY).status_code == 403
    assert [position_of(row) for row in rows] == [70, 70, 70]


def test_nobody_gets_in_without_a_login(client, rows):
    assert "/login/" in client.post(APPLY, {}).url


def test_a_get_changes_nothing(operator, rows):
    reviewed = fields(review(operator, rows, "earliest"))
    with CaptureQueriesContext(connection) as queries:
        assert operator.get(APPLY, reviewed).status_code == operator.get(REVIEW, reviewed).status_code == 302
    assert not [
        query for query in queries if "streamapp" in query["sql"] and query["sql"].startswith("UPDATE")
    ]
    assert [position_of(row) for row in rows] == [70, 70, 70]


def test_a_form_from_elsewhere_is_refused(rows, operator):
    operator.handler.enforce_csrf_checks = True
    assert operator.post(APPLY, {}).status_code == 403


def test_asking_and_reviewing_take_the_same_number_of_queries_for_any_number_of_shards(operator, rows):
    counts = []
    for chosen in (rows[:1], rows[:2]):
        with CaptureQueriesContext(connection) as queries:
            review(operator, chosen, "latest")
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert Checkpoint.objects.filter(revision=0).count() == 3
