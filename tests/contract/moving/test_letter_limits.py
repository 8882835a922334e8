"""DEAD_LETTER_LIMIT with two workers: together they write as many dead letters as one would."""

from django.db import OperationalError

from streamapp.ladder import Ladder, Limit
from streamapp.models import AuditEntry, DeadLetter, Pause
from streamapp.services.actions import Resume
from streamapp.services.from_worker import pause_from_worker
from tests.contract.moving.orders import order

LIMIT = Ladder(1, limit=Limit(3, 3))


def fail(ctx):
    raise ValueError("broken deploy")


def broken(stage, **options):
    """A worker whose handler fails for every record."""
    worker = stage.start(start_at="earliest", ladder=LIMIT, **options)
    for partition in range(2):
        for place in range(10):
            worker.when(f"{partition}@{place}", *[fail] * 9)
    return worker


def letters(stage):
    return DeadLetter.objects.filter(subscription=stage.name).count()


def test_a_broken_deploy_on_two_workers_writes_no_more_letters_than_on_one(stage):
    workers = [broken(stage), broken(stage)]
    stage.run(until=lambda: Pause.objects.filter(subscription__name=stage.name).exists())
    stage.save()
    for _ in range(5):
        for worker in workers:
            worker.run_once()
            worker.save()
            worker.consumer.look_at_copies()
    assert letters(stage) == 3
    assert Pause.objects.filter(subscription__name=stage.name).count() == 1
    entries = AuditEntry.objects.filter(subscription=stage.name, action="pause")
    assert [entry.origin for entry in entries] == ["worker"]


def test_a_worker_that_comes_later_finds_the_limit_reached(stage):
    first = broken(stage)
    stage.run(until=lambda: letters(stage) == 3 and first.consumer.limit.tripped)
    stage.save()
    stage.crash(first)
    second = broken(stage)
    for _ in range(5):
        second.run_once()
        second.save()
    assert letters(stage) == 3
    order(stage, Resume)
    second.save()
    second.consumer.look_at_copies()
    assert second.consumer.limit.tripped is None
    stage.run(until=lambda: letters(stage) > 3)
    assert letters(stage) <= 6


def test_a_pause_that_the_database_did_not_take_needs_no_other_failure_to_be_written(stage, monkeypatch):
    outages = [OperationalError("the connection was lost")]

    def pause(subscription, reason):
        if outages:
            raise outages.pop()
        pause_from_worker(subscription, reason)

    monkeypatch.setattr("tests.contract.moving.worker.pause_from_worker", pause)
    worker = stage.start(start_at="earliest", ladder=LIMIT)
    for place in range(4):
        worker.when(f"0@{place}", fail)
    stage.run()
    paused = Pause.objects.filter(subscription__name=stage.name)
    assert (worker.consumer.limit.tripped is None, paused.exists()) == (False, False)
    worker.consumer.look_at_copies()
    assert paused.get().paused_by == "worker"
