"""Whatever a handler raises or says, its record is judged, and nobody waits for ever."""

from asyncio import CancelledError
from dataclasses import replace

import pytest
from django.db import connection

from streamapp import Outcome, Record
from streamapp.contrib.celery.calling import TaskCall
from streamapp.engine.event_loop import EventLoop
from streamapp.exceptions import Undecodable
from streamapp.models import HeldRecord
from streamapp.records import Shard
from tests.contract.engine.project import Project

pytestmark = pytest.mark.django_db(transaction=True)
UNSTORABLE = "\x00 and \ud800"


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


def single(raised):
    def handle(order: str) -> None:
        if order == "b":
            raise raised

    return handle


def single_async(raised):
    async def handle(order: str) -> None:
        if order == "b":
            raise raised

    return handle


def batch(raised):
    def handle(orders: list[str]) -> None:
        if "b" in orders:
            raise raised

    return handle


def batch_async(raised):
    async def handle(orders: list[str]) -> None:
        if "b" in orders:
            raise raised

    return handle


@pytest.mark.parametrize("make", [single, single_async, batch, batch_async])
@pytest.mark.parametrize(
    "raised",
    [Mute(), CancelledError(), RecursionError(), BaseExceptionGroup("", [CancelledError()])],
    ids=["mute", "cancelled", "recursion", "group"],
)
def test_it_is_a_failure_like_any_other(project: Project, make, raised):
    running = project.start(project.mount(make(raised))).run("a").run("b").run("c")
    assert (running.settled, running.held) == ([(b"a", "ack"), (b"c", "ack")], [(b"b", "hold")])
    assert running.checkpoint() == 1


@pytest.mark.parametrize("raised", [CancelledError(), BaseExceptionGroup("", [CancelledError()])], ids=repr)
def test_whatever_a_decoder_raises_in_a_task_makes_its_record_undecodable(project: Project, raised):
    def decode(raw: bytes) -> str:
        raise raised

    mount = replace(project.mount(single(raised)), decode=decode)
    with pytest.raises(Undecodable):
        TaskCall(mount, Record(Shard("orders", "0", ""), 0, b"a"), EventLoop()).outcome()


@pytest.mark.parametrize("ending", [SystemExit, KeyboardInterrupt])
def test_what_ends_a_process_ends_the_lane_of_a_coroutine_too(ending):
    """asyncio lets it tear the loop down, and whoever waits for the coroutine would wait for ever."""

    async def end() -> None:
        raise ending

    async def answer() -> int:
        return 42

    loop = EventLoop()
    with pytest.raises(ending):
        loop.run(end())
    assert loop.run(answer()) == 42
    loop.close()


def test_a_reason_that_no_database_takes_is_stored_without_the_odd_parts(project: Project):
    """JSON may hold NUL and halves of a character; the saver would wait for the database for ever."""

    def handle(order: str) -> Outcome:
        return Outcome.hold(UNSTORABLE)

    running = project.start(project.mount(handle)).run("a")
    assert running.held == [(b"a", "hold")]
    assert HeldRecord.objects.get().reason == "\ufffd and ?"


@pytest.mark.parametrize("kind", [list[Record], Record])
def test_a_decoder_may_complain_in_such_words(project: Project, kind):
    def decode(value: bytes) -> str:
        raise ValueError(UNSTORABLE)

    def handle(order: kind) -> None: ...

    running = project.start(project.mount(handle, decode=decode)).run("a")
    assert running.service.quarantined[0].reason == "ValueError: \ufffd and ?"
    assert running.checkpoint() == 1


def test_causes_in_a_circle_come_to_an_end(project: Project):
    """They are looked through for the database's own, once its connection is gone."""

    def handle(order: str) -> None:
        connection.close()
        first, second = ValueError("first"), ValueError("second")
        first.__cause__, second.__cause__ = second, first
        raise first

    running = project.start(project.mount(handle, transaction="none")).run("a")
    assert running.held == [(b"a", "hold")]
