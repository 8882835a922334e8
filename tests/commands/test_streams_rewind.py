"""`manage.py streams rewind`: review, then apply; the exit code says what happened."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from streamapp.models import Rewind, RewoundShard
from streamapp.services import rewind as service
from tests.admin.scenes import STORE, hold, log, position_of, started, worker

EVERY_KIND = [
    "earliest",
    "latest",
    "1@55",
    "orders/1@55",
    "1@3",
    "1@4000 --clamp",
    "0@41 orders/2@89",
    "--shift=-7",
    "--shift=7",
    "--shift=-4000",
    "2026-11-01T00:50:30Z",
    "-36500d",
    "-0s",
]


@pytest.fixture
def rows(streams):
    return started("ledger.spend", dict.fromkeys(log(first=40, end=90), 70))


@pytest.mark.parametrize("position", EVERY_KIND)
def test_the_stored_positions_are_those_of_the_review(streams, rows, position):
    words = position.split()
    reviewed = json.loads(streams("rewind", "ledger.spend", *words, "--dry-run", "--json").text)
    assert [position_of(row) for row in rows] == [70, 70, 70]
    said = streams("rewind", "ledger.spend", *words, "--execute", "--json")
    assert said.code == 0
    for line in reviewed["lines"]:
        assert position_of(next(row for row in rows if row.pk == line["checkpoint"])) == line["new"]


def test_the_review_is_a_table_with_units(streams, rows):
    worker(rows[:1])
    said = streams("rewind", "ledger.spend", "0@50", "--dry-run")
    assert said.text.splitlines() == [
        "ledger.spend to 0@50: 1 shard. 20 records read again, 0 records skipped.",
        "shard     old  new  records between        note",
        "orders/0   70   50  20 records read again",
        "No change: 2 other shards not named by the position.",
    ]


def test_the_review_of_a_held_record_says_that_all_behind_it_comes_again(streams, rows):
    worker(rows)
    hold(rows[0], 70)
    said = streams("rewind", "ledger.spend", "0@70", "--dry-run").text
    assert "all from 70 on read again" in said and "holds records" in said
    assert "nothing moves" not in said and "already there" not in said
    values = json.loads(streams("rewind", "ledger.spend", "0@70", "--dry-run", "--json").text)
    assert values["lines"][0]["held"] == 1
    assert "so the count there is a minimum" in values["effect"]


def test_a_rewind_names_some_shards(streams, rows):
    streams("rewind", "ledger.spend", "earliest", "--shard", "orders/0", "--shard", "2", "--execute")
    assert [position_of(row) for row in rows] == [40, 70, 40]


def test_the_reason_and_the_origin_are_kept(streams, rows):
    said = streams("rewind", "ledger.spend", "earliest", "--reason", "wrong rate", "--execute")
    row = Rewind.objects.get()
    assert (row.reason, row.origin, row.user) == ("wrong rate", "command", None)
    assert f"Rewind {row.pk} is stored. Workers have applied 0 of 3 shards." in said.text


def test_waiting_for_nobody_ends_at_once_with_3_and_says_that_no_worker_runs_it(streams, rows):
    said = streams("rewind", "ledger.spend", "earliest", "--execute", "--wait", "86400")
    assert (said.code, position_of(rows[0])) == (3, 40)
    assert "No live worker runs ledger.spend" in said.text


def test_without_waiting_a_live_worker_is_told_from_none(streams, rows):
    worker(rows)
    said = streams("rewind", "ledger.spend", "0@50", "--execute")
    assert "1 still waits" in said.text and "--wait SECONDS" in said.text
    assert "No live worker" not in said.text


def test_waiting_in_vain_ends_with_3_and_the_rewind_stays(streams, rows):
    worker(rows)
    said = streams("rewind", "ledger.spend", "earliest", "--execute", "--wait", "0.3")
    assert (said.code, position_of(rows[0])) == (3, 40)
    assert "3 still wait" in said.text


@pytest.mark.django_db(transaction=True)
def test_waiting_ends_with_0_once_the_worker_has_applied_it(streams, rows):
    identity = worker(rows)

    def apply():
        while not RewoundShard.objects.exists():
            time.sleep(0.01)
        STORE.checkpoints.stamp_rewinds(identity, {row.pk: 2 for row in rows})
        connection.close()

    thread = threading.Thread(target=apply)
    thread.start()
    said = streams("rewind", "ledger.spend", "earliest", "--execute", "--wait", "30")
    thread.join(30)
    assert (said.code, "applied 3 of 3 shards" in said.text) == (0, True)


@pytest.mark.parametrize(
    "words, sentence",
    [
        (("ledger.spent", "earliest"), "ledger.spent"),
        (("ledger.spend", "yesterday"), "'yesterday' is not a position"),
        (("ledger.spend", "9@1"), "9@1"),
        (("ledger.spend", "earliest", "--shard", "orders/9"), "no shard orders/9"),
        (("shipping.ship", "earliest"), "no checkpoint yet"),
    ],
)
def test_what_can_not_be_done_ends_with_1_and_a_sentence(streams, rows, words, sentence):
    said = streams("rewind", *words, "--execute")
    assert (said.code, sentence in said.error) == (1, True)
    assert Rewind.objects.count() == 0


@pytest.mark.parametrize("choice", [[], ["--dry-run", "--execute"]])
def test_a_change_needs_exactly_one_of_dry_run_and_execute(choice):
    command = [sys.executable, "-m", "django", "streams", "rewind", "ledger.spend", "earliest", *choice]
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "--dry-run" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "code"), [((), 0), (("--wait", "0.2"), 3), (("--until-caught-up", "0.2"), 3)]
)
@pytest.mark.parametrize("as_json", [True, False])
def test_a_rewind_is_said_to_be_stored_though_the_database_goes_down_behind_it(
    streams, rows, monkeypatch, words, code, as_json
):
    def refuse(*_):
        raise OperationalError("server closed the connection")

    monkeypatch.setattr("streamapp.services.rewind.progress", refuse)
    said = streams("rewind", "ledger.spend", "earliest", "--execute", *words, *["--json"] * as_json)
    number = Rewind.objects.get().pk
    told = f'"rewind": {number}' if as_json else f"Rewind {number} is stored. How far workers are isn't known"
    assert (said.code, told in said.text, "server closed" in said.text) == (code, True, True), said


def test_waiting_goes_on_behind_a_database_that_was_down_for_a_moment(streams, rows, monkeypatch, capsys):
    worker(rows)
    answers = iter([OperationalError("server closed the connection")])
    look = service.progress

    def progress(row):
        if error := next(answers, None):
            raise error
        RewoundShard.objects.update(applied_at=timezone.now())
        return look(row)

    monkeypatch.setattr("streamapp.services.rewind.progress", progress)
    said = streams("rewind", "ledger.spend", "earliest", "--execute", "--wait", "60")
    assert (said.code, "applied 3 of 3 shards" in said.text) == (0, True), said
    assert "Waiting for the database: server closed" in capsys.readouterr().err


def test_where_the_answer_of_the_database_is_lost_it_says_to_look_before_repeating(
    streams, rows, monkeypatch
):
    def refuse(*_, **__):
        raise OperationalError("server closed the connection")

    monkeypatch.setattr("streamapp.services.rewind.RewindStore.apply", refuse)
    said = streams("rewind", "ledger.spend", "--shift=-10", "--execute")
    assert (said.code, "isn't known" in said.error, "before you repeat it" in said.error) == (
        1,
        True,
        True,
    ), said
