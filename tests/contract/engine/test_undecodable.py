"""A record that can't be decoded loses nothing and stops nobody, unless it is mounted so."""

from base64 import b64decode
from dataclasses import dataclass

import pytest

from streamapp import Outcome
from streamapp.exceptions import BrokerUnavailable
from streamapp.models import HeldRecord
from streamapp.records import Shard
from tests.contract.engine.project import Project


@dataclass
class Order:
    id: int


def single(order: Order) -> None: ...


def batch(orders: list[Order]) -> Outcome:
    return Outcome.ack()


async def batch_async(orders: list[Order]) -> None: ...


HANDLERS = pytest.mark.parametrize("handler", [single, batch, batch_async])
BAD = b'{"id": "seven"}'


@HANDLERS
def test_is_kept_whole_with_its_place_and_reason_and_the_shard_goes_on(project: Project, handler):
    running = project.start(project.mount(handler))
    running.publish({"id": 1})
    trace = b"\x00\xff" if project.bench.stores_nulls else "größe".encode()  # Kinesis: text only
    [place] = running.publish(BAD, key="k", headers={"trace": trace})
    running.run({"id": 2})
    (row,) = running.service.quarantined
    assert (bytes(row.value), bytes(row.key)) == (BAD, b"k")
    assert b64decode(row.headers["trace"]) == trace
    assert (row.subscription, row.position) == (running.mount.name, place.position)
    assert Shard(row.stream, row.shard, row.incarnation) == place.shard
    assert row.timestamp is not None
    assert "ValidationError" in row.reason
    assert running.checkpoint() == 3


@HANDLERS
def test_is_kept_once_however_often_it_is_read(project: Project, handler):
    running = project.start(project.mount(handler))
    running.publish(BAD)
    running.run(save=False)
    running.service.crash()
    running.run()
    assert len(running.service.quarantined) == 1


@HANDLERS
def test_is_dropped_where_it_is_mounted_so(project: Project, handler, caplog):
    mount = project.mount(handler, on_undecodable="drop")
    running = project.start(mount).run({"id": 1}, BAD, {"id": 2})
    assert running.service.quarantined == []
    assert running.checkpoint() == 3
    assert "Record dropped." in caplog.text


@HANDLERS
def test_is_held_where_it_is_mounted_so(project: Project, handler):
    mount = project.mount(handler, on_undecodable="hold")
    running = project.start(mount).run({"id": 1}, BAD, {"id": 2})
    assert running.held == [(BAD, "hold")]
    assert running.settled == [(b'{"id":1}', "ack"), (b'{"id":2}', "ack")]
    assert running.checkpoint() == 1
    assert HeldRecord.objects.get().reason.startswith("undecodable: ValidationError")


def test_one_that_is_held_in_a_batch_that_comes_again_is_held_once(project: Project):
    """An operator who skips it would otherwise free one of two, and the checkpoint stood still for ever."""
    outages = [BrokerUnavailable("nobody is there")]

    def handle(orders: list[Order]) -> None:
        if outages:
            raise outages.pop()

    running = project.start(project.mount(handle, on_undecodable="hold"))
    running.publish({"id": 1}, BAD)
    running.run({"id": 2}, advance=True)
    assert running.checkpoint() == 1
    (state,) = running.service._worker.consumers[0].holdings.states.values()
    assert state.watermark.retire(HeldRecord.objects.get().position)
    running.run()
    assert running.checkpoint() == 3
