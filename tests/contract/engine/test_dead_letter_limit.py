"""DEAD_LETTER_LIMIT: a broken deploy doesn't empty a topic into the dead letters."""

import pytest

from streamapp import Outcome
from streamapp.engine import assembly
from streamapp.ladder import Backoff, Ladder, Limit
from streamapp.models import DeadLetter, DelayedRecord
from tests.contract.engine.project import Project

IN_A_ROW = Ladder(1, limit=Limit(3, 3))


class Deploy:
    """A handler that fails for orders that say so, and for all while it is broken."""

    def __init__(self) -> None:
        self.broken = False

    def handle(self, order: str) -> None:
        if self.broken or order.startswith("bad"):
            raise ValueError("broken deploy")

    def batch(self, orders: list[str]) -> list[Outcome]:
        bad = [self.broken or order.startswith("bad") for order in orders]
        return [Outcome.retry("broken deploy") if each else Outcome.ack() for each in bad]


def letters() -> list[str]:
    return [bytes(letter.value).decode() for letter in DeadLetter.objects.order_by("id")]


@pytest.fixture
def paused(monkeypatch) -> list[tuple[str, str]]:
    """What was asked to be paused, and why."""
    asked: list[tuple[str, str]] = []
    make = assembly.LetterLimit
    monkeypatch.setattr(
        assembly, "LetterLimit", lambda *arguments: make(*arguments[:-1], lambda *of: asked.append(of))
    )
    return asked


@pytest.mark.parametrize("way", ["handle", "batch"])
def test_after_so_many_in_a_row_records_are_held_and_the_subscription_is_paused(
    project: Project, paused, way
):
    deploy = Deploy()
    running = project.start(project.mount(getattr(deploy, way), ladder=IN_A_ROW)).run("good")
    deploy.broken = True
    running.run(*"abcdefgh")
    assert letters() == ["a", "b", "c"]
    assert running.checkpoint() == 4
    assert len(running.held) == 5
    ((name, reason),) = paused
    assert (name, reason) == (running.mount.name, "Too many dead letters: 3 records in a row.")


def test_single_failures_among_others_are_no_reason(project: Project, paused):
    deploy = Deploy()
    running = project.start(project.mount(deploy.handle, ladder=IN_A_ROW))
    for number in range(6):
        running.run(f"bad {number}", f"bad too {number}", f"good {number}")
    assert len(letters()) == 12
    assert (running.checkpoint(), paused) == (18, [])


def test_a_share_of_the_last_records(project: Project, paused):
    deploy = Deploy()
    ladder = Ladder(1, limit=Limit(3, 10))
    running = project.start(project.mount(deploy.handle, ladder=ladder))
    running.run("bad 1", *["good"] * 9, "bad 2", *["good"] * 9, "bad 3", "bad 4", "good", "bad 5")
    assert letters() == ["bad 1", "bad 2", "bad 3", "bad 4", "bad 5"]
    running.run("good", "bad 6")
    assert len(letters()) == 5
    assert len(paused) == 1


def test_after_a_restart_with_a_mended_handler_all_of_them_are_handled(project: Project, paused):
    deploy = Deploy()
    running = project.start(project.mount(deploy.handle, ladder=IN_A_ROW))
    deploy.broken = True
    running.run(*"abcdef")
    deploy.broken = False
    running.service.restart()
    running.run()
    assert (letters(), running.checkpoint()) == (["a", "b", "c"], 6)


def test_copies_are_put_off_and_not_given_up(project: Project, paused):
    deploy = Deploy()
    ladder = Ladder(2, backoff=Backoff(3600.0, 3600.0), limit=Limit(3, 3))
    running = project.start(project.mount(deploy.handle, ladder=ladder))
    deploy.broken = True
    running.run(*"abcdef")
    for _ in range(2):
        running.service.advance()
        running.run()
    assert len(letters()) == 3
    deploy.broken = False
    running.service.advance()
    running.run()
    assert len(letters()) == 3
    assert not DelayedRecord.objects.exists()
