"""Dry runs by real workers, on Apache Kafka and the database of the run."""

import json

import pytest
from django.contrib.auth.models import Group
from django.db.models.functions import Now

from streamapp.models import DeadLetter, DryRun
from streamapp.services.set_aside import DryRunSetAside
from streamapp.store.audit import Asker
from tests.processes.conftest import await_true

pytestmark = [pytest.mark.live("kafka"), pytest.mark.timeout(180)]
MOUNT = {"MAX_ATTEMPTS": 1, "DRY_RUN": True}


def letter_of(stage, do):
    """A dead letter whose edited copy does something else."""
    stage.publish({"id": 1, "do": "fail"})
    letters = DeadLetter.objects.filter(subscription=stage.topic)
    await_true(letters.exists, "the dead letter")
    edited(letters.get(), do)
    await_true(lambda: stage.positions() == {"0": 1}, "the checkpoint behind it")
    return letters.get()


def edited(letter, do):
    value = json.dumps({"id": 1, "do": do}).encode()
    DeadLetter.objects.filter(pk=letter.pk).update(edited_value=value, edited_by="ann", edited_at=Now())


def ask(letter):
    action = DryRunSetAside(DeadLetter)
    action.do([letter.pk], Asker("test"))
    return DryRun.objects.get(pk=action.ordered[0])


def ended(order, seconds=30.0):
    await_true(lambda: DryRun.objects.exclude(ended_at=None).filter(pk=order.pk), "the result", seconds)
    order.refresh_from_db()
    return order


def test_what_the_handler_writes_is_rolled_back(stage):
    stage = stage(partitions=1, **MOUNT)
    worker = stage.start()
    letter = letter_of(stage, "book")
    told = ended(ask(letter))
    assert (told.outcome, told.exception, told.worker.process_id) == ("ack", "", worker.pid)
    assert told.milliseconds > 0
    assert not Group.objects.exists()
    assert DeadLetter.objects.get(pk=letter.pk).attempts == 1
    assert stage.positions() == {"0": 1}
    assert [call["attempt"] for call in stage.calls()] == [1, 1]


def test_another_worker_runs_it_when_the_one_that_claimed_it_is_killed(stage):
    stage = stage(partitions=1, **MOUNT)
    first = stage.start()
    letter = letter_of(stage, "sleep:60")
    order = ask(letter)
    await_true(lambda: len(stage.calls()) == 2, "the handler in the dry run")
    first.kill()
    first.wait()
    order.refresh_from_db()
    assert (order.claims, order.ended_at) == (1, None)
    edited(letter, "book")
    second = stage.start()
    DryRun.objects.filter(pk=order.pk).update(claimed_until=Now())  # half a minute has passed
    told = ended(order)
    assert (told.outcome, told.claims, told.worker.process_id) == ("ack", 2, second.pid)
    assert not Group.objects.exists()
    assert DeadLetter.objects.filter(pk=letter.pk).exists()


def test_a_long_run_keeps_its_claim_and_its_worker_goes_on(stage):
    stage = stage(partitions=1, **MOUNT)
    stage.start()
    order = ask(letter_of(stage, "sleep:4"))
    await_true(lambda: DryRun.objects.get(pk=order.pk).claimed_until, "the claim")
    before = DryRun.objects.get(pk=order.pk).claimed_until
    await_true(lambda: DryRun.objects.get(pk=order.pk).claimed_until > before, "a renewed claim")
    stage.publish({"id": 2})
    told = ended(order)
    stage.await_handled(2)
    assert (told.outcome, told.claims) == ("ack", 1)
