"""Batches: one outcome or a list; every record moves its own shard."""

from streamapp import BatchContext, Outcome
from streamapp.mount import Retry
from streamapp.positions import Earliest
from tests.contract.engine.project import Project

PARTITIONS = 2
PATIENT = Retry(attempts=100, first=0.1, most=0.1)


def start(project: Project, handler, **options):
    """Start where all that `publish` brings is there at once, so that it comes in few batches."""
    return project.start(project.mount(handler, start_at=Earliest(), **options))


def test_one_outcome_is_meant_for_all(project: Project):
    def drop(orders: list[str]) -> Outcome:
        return Outcome.drop("old")

    running = start(project, drop).run("a", "b", "c")
    assert running.settled == [(b"a", "drop"), (b"b", "drop"), (b"c", "drop")]
    assert running.checkpoint() == 3


def test_none_acks_all(project: Project):
    def nothing(orders: list[str]) -> None: ...

    running = start(project, nothing).run("a", "b", "c")
    assert running.settled == [(b"a", "ack"), (b"b", "ack"), (b"c", "ack")]
    assert running.checkpoint() == 3


def test_a_list_says_one_outcome_a_record(project: Project):
    said = {"a": Outcome.ack(), "b": Outcome.drop("old"), "c": Outcome.hold("new"), "d": Outcome.ack()}

    def judge(orders: list[str]) -> list[Outcome]:
        return [said[order] for order in orders]

    running = start(project, judge).run("a", "b", "c", "d")
    assert running.settled == [(b"a", "ack"), (b"b", "drop"), (b"d", "ack")]
    assert running.held == [(b"c", "hold")]
    assert running.checkpoint() == 2


def test_the_rest_of_a_short_list_is_retried_and_logged(project: Project, caplog):
    calls = []

    def first_only(orders: list[str], ctx: BatchContext) -> list[Outcome]:
        calls.append((orders, ctx.attempt))
        return [Outcome.ack()]

    running = start(project, first_only, retry=PATIENT).run("a", "b", "c", advance=True)
    assert "Too few outcomes for a batch" in caplog.text
    assert [orders[0] for orders, _ in calls] == ["a", "b", "c"]
    assert calls[-1][1] > 1
    assert running.checkpoint() == 3


def test_only_what_asked_for_it_is_retried(project: Project):
    calls = []

    def judge(orders: list[str], ctx: BatchContext) -> list[Outcome]:
        calls.extend(orders)
        return [Outcome.retry() if ctx.attempt == 1 and order == "b" else Outcome.ack() for order in orders]

    running = start(project, judge, retry=PATIENT).run("a", "b", "c", advance=True)
    assert [calls.count(order) for order in "abc"] == [1, 2, 1]
    assert running.checkpoint() == 3


def test_a_list_that_is_too_long_is_a_failure_of_the_handler(project: Project):
    def too_many(orders: list[str]) -> list[Outcome]:
        return [Outcome.ack()] * (len(orders) + 1)

    running = start(project, too_many).run("a", "b")
    assert running.held == [(b"a", "hold"), (b"b", "hold")]
    assert "WrongOutcome" in running.service.held[0].outcome.reason
    assert running.checkpoint() == 0


def test_a_batch_that_raises_is_retried_as_a_whole_then_held(project: Project):
    calls = []

    def fail(orders: list[str]) -> None:
        calls.extend(orders)
        raise ValueError("no")

    running = start(project, fail, retry=Retry(2, 0.1, 0.1)).run("a", "b", advance=True)
    assert [calls.count(order) for order in "ab"] == [2, 2]
    assert running.held == [(b"a", "hold"), (b"b", "hold")]


def test_every_record_moves_its_own_shard(project: Project):
    def judge(orders: list[str]) -> list[Outcome]:
        return [Outcome.hold() if order == "held" else Outcome.ack() for order in orders]

    running = start(project, judge, partitions=PARTITIONS)
    running.publish("a", "held", "b", shard=0, partitions=PARTITIONS)
    running.publish("c", "d", shard=1, partitions=PARTITIONS)
    running.run()
    assert (running.checkpoint(0), running.checkpoint(1)) == (1, 2)


def test_a_batch_is_no_larger_than_it_is_mounted(project: Project):
    sizes = []

    def measure(orders: list[str]) -> None:
        sizes.append(len(orders))

    start(project, measure, batch=3).run(*"abcdefgh")
    assert sum(sizes) == 8
    assert max(sizes) == 3


def test_an_undecodable_record_is_left_out_of_its_batch(project: Project):
    seen = []

    def add(numbers: list[int]) -> list[Outcome]:
        seen.extend(numbers)
        return [Outcome.hold() if number == 3 else Outcome.ack() for number in numbers]

    running = start(project, add).run(1, b"two", 3, 4)
    assert seen == [1, 3, 4]
    assert running.held == [(b"3", "hold")]
    assert [running.place(row.position) for row in running.service.quarantined] == [1]
    assert running.checkpoint() == 2
