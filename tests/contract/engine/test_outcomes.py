"""What each outcome does to its record and to the shard's checkpoint."""

import pytest

from streamapp import Outcome
from streamapp.ladder import Ladder
from streamapp.models import HeldRecord
from tests.contract.engine.project import Project

ANSWERS = {
    "ack": Outcome.ack(),
    "none": None,
    "drop": Outcome.drop("no use"),
    "hold": Outcome.hold("not now"),
    "retry": Outcome.retry("try later"),
    "wrong": "acked",
}


def answer(order: str) -> Outcome | None:
    return ANSWERS[order]


@pytest.mark.parametrize(("order", "outcome"), [("ack", "ack"), ("none", "ack"), ("drop", "drop")])
def test_settled_records_are_passed_and_never_read_again(project: Project, order, outcome):
    running = project.start(project.mount(answer)).run(order, "ack")
    assert running.settled == [(order.encode(), outcome), (b"ack", "ack")]
    assert running.checkpoint() == 2
    running.service.restart()
    running.run()
    assert running.service.deliveries == []


def test_a_reason_may_be_an_exception(project: Project):
    later = project.bench.stream()

    def handle(order: str) -> Outcome:
        return Outcome.retry(ValueError("busy"))

    running = project.start(project.mount(handle, ladder=Ladder(3, copies=later))).run("a")
    assert running.checkpoint() == 1


def test_a_drop_keeps_its_reason_in_the_log(project: Project, caplog):
    project.start(project.mount(answer)).run("drop")
    assert "Record dropped." in caplog.text
    assert "reason='no use'" in caplog.text


@pytest.mark.parametrize(
    ("order", "reason"), [("hold", "not now"), ("retry", "try later"), ("wrong", "WrongOutcome")]
)
def test_the_checkpoint_stops_in_front_of_a_held_record_and_later_ones_are_handled(
    project: Project, caplog, order, reason
):
    running = project.start(project.mount(answer)).run("ack", order, "ack", "ack")
    assert running.checkpoint() == 1
    assert running.held == [(order.encode(), "hold")]
    assert running.settled == [(b"ack", "ack")] * 3
    row = HeldRecord.objects.get()
    assert running.place(row.position) == 1
    assert reason in row.reason
    assert "Record held." in caplog.text


def test_a_clean_stop_saves_what_is_settled(project: Project):
    running = project.start(project.mount(answer)).run("ack", "ack", save=False)
    assert running.checkpoint() == 0
    running.service.restart()
    running.run()
    assert running.service.deliveries == []
    assert running.checkpoint() == 2


def test_a_null_value_arrives_as_none(project: Project):
    if not project.bench.stores_nulls:
        pytest.skip("Kinesis has no null values")
    seen = []

    def see(order: dict) -> None:
        seen.append(order)

    def see_all(orders: list[dict]) -> None:
        seen.extend(orders)

    for handler in (see, see_all):
        running = project.start(project.mount(handler)).run(None, {"id": 1})
        assert running.checkpoint() == 2
        assert running.service.quarantined == []
    assert seen == [None, {"id": 1}] * 2
