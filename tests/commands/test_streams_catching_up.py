"""`--until-caught-up`: waits until the moved shards have handled what was there at the rewind."""

import json
import threading
import time

import pytest
from django.db import connection

from streamapp.models import Checkpoint, LocalPartition, Rewind, RewoundShard
from streamapp.services.caught_up import Goal
from streamapp.store.lags import Sample
from tests.admin.kinesis import age
from tests.admin.scenes import DAWN, STORE, hold, log, started, worker

NOW = ("--execute", "--until-caught-up")


@pytest.fixture
def rows(streams):
    return started("ledger.spend", dict.fromkeys(log(first=40, end=90), 70))


@pytest.fixture
def meanwhile():
    """Does something on a thread once a rewind is stored, as workers do."""
    threads = []

    def start(work):
        def follow():
            try:
                while not RewoundShard.objects.exists():
                    time.sleep(0.01)
                work()
            finally:
                connection.close()

        threads.append(threading.Thread(target=follow))
        threads[-1].start()

    yield start
    for thread in threads:
        thread.join(30)


def applied(identity, rows):
    STORE.checkpoints.stamp_rewinds(identity, {row.pk: 2 for row in rows})


def reach(rows, position, read_to=None, records=0):
    Checkpoint.objects.filter(pk__in=[row.pk for row in rows]).update(position=position)
    STORE.lags.write([Sample(row.pk, read_to or position, records, 0) for row in rows])


@pytest.mark.django_db(transaction=True)
def test_it_ends_with_0_once_all_that_was_there_is_handled(streams, rows, meanwhile, capsys):
    identity = worker(rows)

    def work():
        applied(identity, rows)
        LocalPartition.objects.update(end=1000)
        reach(rows, 90, records=910)

    meanwhile(work)
    said = streams("rewind", "ledger.spend", "earliest", *NOW, "60")
    assert (said.code, "3 of 3 shards caught up." in said.text) == (0, True), said
    assert "3 of 3 shards caught up." in capsys.readouterr().err


@pytest.mark.django_db(transaction=True)
def test_it_needs_no_number_of_seconds(streams, rows, meanwhile):
    identity = worker(rows)

    def work():
        applied(identity, rows)
        reach(rows, 90)

    meanwhile(work)
    assert streams("rewind", "ledger.spend", "earliest", *NOW).code == 0


@pytest.mark.django_db(transaction=True)
def test_one_shard_that_is_behind_makes_it_3_and_says_how_far(streams, rows, meanwhile):
    identity = worker(rows)

    def work():
        applied(identity, rows)
        reach(rows[:2], 90)
        reach(rows[2:], 89, records=1)

    meanwhile(work)
    said = streams("rewind", "ledger.spend", "earliest", *NOW, "2")
    assert (said.code, "2 of 3 shards caught up. 1 record to go." in said.text) == (3, True), said


@pytest.mark.django_db(transaction=True)
def test_a_held_record_is_not_waited_for_but_what_follows_it_is(streams, rows, meanwhile):
    identity = worker(rows)

    def work():
        applied(identity, rows)
        hold(rows[0], 60)
        hold(rows[1], 60)
        reach(rows[:1], 60, read_to=90, records=30)
        reach(rows[1:2], 60, read_to=80, records=30)
        reach(rows[2:], 90)

    meanwhile(work)
    said = streams("rewind", "ledger.spend", "earliest", *NOW, "2", "--json")
    values = json.loads(said.text)
    assert (said.code, values["behind"], values["held"]) == (3, 1, 1)


def test_a_shard_that_no_worker_has_applied_is_behind_even_at_the_end(streams, rows):
    worker(rows)
    said = streams("rewind", "ledger.spend", "latest", *NOW, "0.1")
    assert (said.code, "0 of 3 shards caught up." in said.text) == (3, True), said


def test_nobody_is_waited_for_without_a_worker(streams, rows):
    said = streams("rewind", "ledger.spend", "earliest", *NOW)
    assert (said.code, "No live worker runs ledger.spend" in said.text) == (3, True)


@pytest.mark.django_db(transaction=True)
def test_an_undo_waits_too(streams, rows, meanwhile):
    streams("rewind", "ledger.spend", "earliest", "--execute")
    first = Rewind.objects.get()
    identity = worker(rows)

    def work():
        while not RewoundShard.objects.exclude(rewind=first).exists():
            time.sleep(0.01)
        STORE.checkpoints.stamp_rewinds(identity, {row.pk: 3 for row in rows})
        reach(rows, 90)

    meanwhile(work)
    assert streams("undo", str(first.pk), *NOW, "60").code == 0


def test_a_dry_run_waits_for_nothing(streams, rows):
    said = streams("rewind", "ledger.spend", "earliest", "--dry-run", "--until-caught-up")
    assert (said.code, Rewind.objects.count()) == (0, 0)


@pytest.fixture
def rewound(streams, rows):
    """A rewind that its worker has applied, on a broker whose ends are moments: no end is known."""
    identity = worker(rows)
    streams("rewind", "ledger.spend", "0@50", "--execute")
    applied(identity, rows[:1])
    return Rewind.objects.get()


def sampled(row, read_to, milliseconds):
    STORE.lags.write([Sample(row.pk, read_to, None, milliseconds)])


def test_where_ends_are_moments_a_sample_says_when_all_from_before_the_rewind_was_read(rewound, rows):
    goal = Goal()
    sampled(rows[0], 50, milliseconds=3_600_000)
    assert goal.look(rewound).behind == 1
    sampled(rows[0], 80, milliseconds=0)
    assert goal.look(rewound).behind == 1
    Checkpoint.objects.filter(pk=rows[0].pk).update(position=80)
    assert goal.look(rewound).behind == 0


def test_a_sample_from_before_the_rewind_was_applied_says_nothing(rewound, rows):
    goal = Goal({rows[0].pk: 90})
    hold(rows[0], 60)
    sampled(rows[0], 90, milliseconds=0)
    assert goal.look(rewound).held == 1
    age(rows[:1], DAWN)
    assert (goal.look(rewound).held, goal.look(rewound).behind) == (0, 1)


def test_what_waits_for_a_parent_that_holds_a_record_is_not_waited_for(rewound, rows):
    Checkpoint.objects.filter(pk=rows[0].pk).update(parents=["1"])
    assert (Goal().look(rewound).behind, Goal().look(rewound).held) == (1, 0)
    hold(rows[1], 70)
    assert (Goal().look(rewound).behind, Goal().look(rewound).held) == (0, 1)


def test_a_shard_that_was_rewound_again_is_not_waited_for(rewound, streams):
    assert Goal().look(rewound).behind == 1
    streams("rewind", "ledger.spend", "0@60", "--execute")
    catch = Goal().look(rewound)
    assert catch.behind == 0
    assert str(catch) == "0 of 1 shard caught up. 1 shard rewound again and not waited for any more."
