"""An edited copy is what the handler gets; what arrived comes back with it when it fails again."""

import pytest
from django.db import transaction

from streamapp.ladder import Backoff, Ladder
from streamapp.models import DeadLetter, DelayedRecord, Quarantined
from streamapp.store.set_aside import SetAsideStore
from tests.contract.engine.project import Project

TRANSACTIONS = pytest.mark.parametrize("transaction_of", ["none", "handler", "checkpoint"])
LADDER = Ladder(1, backoff=Backoff(0.0, 0.0))


def redeliver(model, edited=None):
    """Do to the only row what the desk does."""
    store = SetAsideStore("default", model)
    with transaction.atomic():
        (row,) = store.lock(list(model.objects.values_list("pk", flat=True)))
        if edited is not None:
            store.edit(row, edited, "ann")
            (row,) = store.lock([row.pk])
        assert store.deliver(row, "the place")


def handle(running):
    # Claimed and handled in the first round, its row ended in the second.
    running.run()
    running.run()


@TRANSACTIONS
def test_an_edited_copy_is_handled_and_nothing_of_it_is_left(project: Project, transaction_of):
    given = []

    def refuse(order: str) -> None:
        given.append(order)
        if order == "bad":
            raise ValueError("bad")

    mount = project.mount(refuse, ladder=LADDER, transaction=transaction_of)
    running = project.start(mount).run("a", "bad", "c")
    redeliver(DeadLetter, b"mended")
    handle(running)
    assert given == ["a", "bad", "c", "mended"]
    assert not DeadLetter.objects.exists() and not DelayedRecord.objects.exists()
    assert running.checkpoint() == 3


@TRANSACTIONS
def test_an_edited_copy_that_fails_again_is_a_letter_with_what_arrived(project: Project, transaction_of):
    def refuse(order: str) -> None:
        raise ValueError(order)

    mount = project.mount(refuse, ladder=LADDER, transaction=transaction_of)
    running = project.start(mount).run("bad")
    place = DeadLetter.objects.get().position
    redeliver(DeadLetter, b"worse")
    handle(running)
    letter = DeadLetter.objects.get()
    assert (bytes(letter.value), bytes(letter.edited_value), letter.edited_by) == (b"bad", b"worse", "ann")
    assert (letter.message, letter.position, letter.headers) == ("worse", place, {})
    assert not DelayedRecord.objects.exists()


def test_an_edited_copy_waits_between_attempts_with_what_arrived(project: Project):
    def refuse(order: str) -> None:
        raise ValueError(order)

    mount = project.mount(refuse, ladder=Ladder(2, backoff=Backoff(3600.0, 3600.0)))
    running = project.start(mount).run("bad")
    redeliver(DelayedRecord, b"worse")
    handle(running)
    row = DelayedRecord.objects.get()
    assert (bytes(row.value), bytes(row.edited_value), row.attempt) == (b"bad", b"worse", 2)


def test_a_quarantined_record_that_is_edited_is_handled(project: Project):
    given = []

    def take(order: dict[str, int]) -> None:
        given.append(order)

    running = project.start(project.mount(take)).run('{"id": ')
    redeliver(Quarantined, b'{"id": 1}')
    handle(running)
    assert given == [{"id": 1}]
    assert not Quarantined.objects.exists() and not DelayedRecord.objects.exists()


def test_one_that_cannot_be_decoded_again_is_quarantined_as_it_arrived(project: Project):
    def take(order: dict[str, int]) -> None:
        raise AssertionError("never called")

    running = project.start(project.mount(take)).run('{"id": ')
    redeliver(Quarantined, b'{"id": 1')
    handle(running)
    row = Quarantined.objects.get()
    assert (bytes(row.value), bytes(row.edited_value)) == (b'{"id": ', b'{"id": 1')
    assert not [name for name in row.headers if name.startswith("streamapp-")]
