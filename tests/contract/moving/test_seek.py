"""ctx.seek: a handler moves the reading of its own worker."""

import pytest

from streamapp import Outcome
from streamapp.mount import Retry
from tests.contract.moving.places import places


def seeking(stage, position):
    return lambda ctx: ctx.seek(stage.position(position))


@pytest.fixture
def ready(stage):
    """The stage, with a worker that has handled and saved everything."""

    def ready(**options):
        worker = stage.start(start_at="earliest", **options)
        stage.run()
        stage.save()
        worker.forget()
        return worker

    return ready


@pytest.mark.parametrize(
    ("position", "in_the_first", "in_the_second"),
    [
        ("earliest", range(11), range(10)),
        ("latest", [], []),
        ("0@4", range(4, 11), []),
        ("1@4", [], range(4, 10)),
        ("{topic}/0@4", range(4, 11), []),
        ("{moment}", [10], []),
        ("-1h", [10], []),
        ("-7d", range(11), range(10)),
    ],
)
def test_reading_goes_on_at_the_position(log, stage, ready, position, in_the_first, in_the_second):
    worker = ready()
    position = position.format(topic=stage.topic, moment=log.moment)
    worker.when("0@10", seeking(stage, position))
    log.fill(stage.topic, 1)
    stage.run()
    assert worker.of(0) == ["0@10", *places(0, in_the_first)]
    assert worker.of(1) == places(1, in_the_second)


@pytest.mark.parametrize("kind", ["record", "batch", "async_record", "async_batch"])
def test_each_kind_of_handler_can_seek(log, stage, ready, kind):
    worker = ready(kind=kind)
    there = stage.position("0@8")
    seek = (lambda ctx: ctx.aseek(there)) if kind.startswith("async") else (lambda ctx: ctx.seek(there))
    worker.when("0@10", seek)
    log.fill(stage.topic, 1)
    stage.run()
    assert worker.handled == ["0@10", *places(0, [8, 9, 10])]


def test_a_record_reads_itself_and_everything_behind_it_again(log, stage, ready):
    worker = ready()
    worker.when("0@11", lambda ctx: ctx.seek(ctx.position))
    log.fill(stage.topic, 3)
    stage.run()
    assert worker.handled == places(0, [10, 11, 11, 12])


def test_what_a_handler_returns_or_raises_after_it_has_sought_settles_nothing(log, stage, ready):
    worker = ready()

    def seek_and_fail(ctx):
        ctx.seek(ctx.position)
        raise ValueError("after the seek")

    worker.when("0@10", seek_and_fail)
    log.fill(stage.topic, 1)
    stage.run()
    stage.save()
    assert (worker.handled, stage.held(), stage.stored()["0"]) == (["0@10", "0@10"], [], 11)


def test_reading_moves_when_the_whole_batch_has_returned_and_its_outcomes_settle_nothing(log, stage, ready):
    worker = ready(kind="batch")
    worker.when("0@12", seeking(stage, "0@11"))
    log.fill(stage.topic, 4)
    stage.run(until=lambda: worker.handled)
    stage.save()
    assert (worker.handled, stage.stored()["0"]) == (places(0, range(10, 14)), 10)
    stage.run()
    assert worker.handled == places(0, [10, 11, 12, 13, 11, 12, 13])


def test_the_rest_of_what_was_fetched_is_not_handled_before_reading_has_moved(log, stage, ready):
    worker = ready()
    worker.when("0@10", seeking(stage, "0@12"))
    log.fill(stage.topic, 4)
    stage.run()
    assert worker.handled == places(0, [10, 12, 13])


def test_a_crash_right_after_the_seek_loses_nothing(log, stage, ready):
    worker = ready()
    worker.when("0@10", seeking(stage, "latest"))
    log.fill(stage.topic, 2)
    stage.run(until=lambda: worker.handled)
    stage.save()
    worker = stage.restart(worker)
    stage.run()
    assert worker.handled == places(0, [10, 11])


def test_the_first_save_after_it_may_go_backwards(log, stage, ready):
    worker = ready()
    worker.when("0@10", seeking(stage, "0@2"))
    worker.when("0@5", lambda ctx: Outcome.hold())
    log.fill(stage.topic, 1)
    stage.run()
    stage.save()
    assert stage.stored() == {"0": 5, "1": 10}
    worker = stage.restart(worker)
    stage.run()
    assert worker.handled == places(0, range(5, 11))


def test_a_held_record_is_forgotten_and_comes_again(log, stage, ready):
    worker = ready()
    worker.when("0@11", lambda ctx: Outcome.hold("later"))
    log.fill(stage.topic, 3)
    stage.run()
    stage.save()
    assert (stage.held(), stage.stored()["0"]) == ([("0", 11)], 11)
    worker.when("0@13", seeking(stage, "0@11"))
    log.fill(stage.topic, 1)
    stage.run()
    stage.save()
    assert worker.handled == places(0, [10, 11, 12, 13, 11, 12, 13])
    assert (stage.held(), stage.stored()["0"]) == ([], 14)


def test_a_held_record_is_given_up_by_a_seek_past_it(log, stage, ready):
    worker = ready()
    worker.when("0@10", lambda ctx: Outcome.hold("never"))
    worker.when("0@11", seeking(stage, "latest"))
    log.fill(stage.topic, 2)
    stage.run()
    stage.save()
    assert (stage.held(), stage.stored()["0"]) == ([], 12)


def test_a_record_that_waits_for_its_retry_comes_again_at_once(log, stage, ready):
    worker = ready(retry=Retry(attempts=9, first=3600.0, most=3600.0))
    worker.when("0@10", lambda ctx: Outcome.retry())
    log.fill(stage.topic, 1)
    stage.run(until=lambda: worker.handled)
    worker.when("1@10", seeking(stage, "0@9"))
    log.fill(stage.topic, 1, partition=1)
    stage.run()
    assert worker.of(0) == places(0, [10, 9, 10])
