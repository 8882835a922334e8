"""Handlers that are coroutines."""

import asyncio

import pytest
from django.contrib.auth.models import Group

from streamapp import BatchContext, Context, KafkaPosition, Outcome
from streamapp.mount import Retry
from tests.contract.engine.project import Project

pytestmark = pytest.mark.django_db(transaction=True)


def rows() -> list[str]:
    return sorted(Group.objects.values_list("name", flat=True))


def test_outcomes_of_a_single_record_count_as_those_of_any_handler(project: Project):
    async def handle(order: str, ctx: Context) -> Outcome | None:
        await asyncio.sleep(0)
        if order == "b":
            return Outcome.hold("not now")
        if order == "c" and ctx.attempt == 1:
            raise ValueError("once")
        await Group.objects.acreate(name=order)
        return None

    mount = project.mount(handle, retry=Retry(2, 0.1, 0.1))
    running = project.start(mount).run("a", "b", "c", "d", advance=True)
    assert rows() == ["a", "c", "d"]
    assert running.held == [(b"b", "hold")]
    assert running.checkpoint() == 1


def test_single_records_share_one_event_loop(project: Project):
    loops = []

    async def handle(order: str) -> None:
        loops.append(asyncio.get_running_loop())

    project.start(project.mount(handle)).run("a", "b")
    assert len(loops) == 2
    assert loops[0] is loops[1]


def test_a_batch_writes_in_its_transaction(project: Project):
    async def handle(orders: list[str]) -> None:
        for order in orders:
            await Group.objects.acreate(name=order)

    running = project.start(project.mount(handle)).run("a", "b")
    assert rows() == ["a", "b"]
    assert running.checkpoint() == 2


def test_a_batch_that_fails_is_rolled_back(project: Project):
    async def handle(orders: list[str]) -> None:
        for order in orders:
            await Group.objects.acreate(name=order)
        raise ValueError("after the writes")

    running = project.start(project.mount(handle)).run("a", "b")
    assert rows() == []
    assert running.held == [(b"a", "hold"), (b"b", "hold")]


def test_a_coroutine_can_seek(project: Project):
    seen = []

    async def handle(orders: list[str], ctx: BatchContext) -> None:
        seen.extend(orders)
        if seen.count("a") == 1 and "b" in seen:
            await ctx.aseek(KafkaPosition.earliest())

    running = project.start(project.mount(handle)).run("a", "b")
    assert seen.count("a") == 2
    assert seen[-1] == "b"
    assert running.checkpoint() == 2
