"""Seeks that meet a rewind, and seeks to nowhere."""

import pytest

from streamapp.positions import At
from tests.contract.moving.places import places


def test_a_rewind_that_is_adopted_while_the_handler_runs_wins_over_its_seek(log, stage):
    """The delivery that asks is void already: the operator's position is read, not the handler's."""
    worker = stage.start(start_at="latest", transaction="none")
    stage.run()

    def rewound_meanwhile(ctx):
        stage.rewind("0@4")
        worker.save()
        ctx.seek(stage.position("0@8"))

    worker.when("0@10", rewound_meanwhile)
    log.fill(stage.topic, 1)
    stage.run()
    stage.save()
    assert worker.handled == [*places(0, [10]), *places(0, range(4, 11))]
    assert stage.stored()["0"] == 11


def test_of_two_seeks_the_later_one_counts(log, stage):
    worker = stage.start(start_at="latest")
    stage.run()

    def seek_twice(ctx):
        ctx.seek(stage.position("0@4"))
        ctx.seek(stage.position("0@8"))

    worker.when("0@10", seek_twice)
    log.fill(stage.topic, 1)
    stage.run()
    assert worker.handled == places(0, [10, 8, 9, 10])


@pytest.mark.parametrize("which", ["below", "above"])
@pytest.mark.parametrize("move", ["seek", "rewind"])
def test_a_number_that_no_record_can_have_is_an_error_of_the_handler(log, stage, move, which):
    worker = stage.start(start_at="0@9")
    number = log.impossible[which == "above"]
    worker.when("0@9", lambda ctx: getattr(ctx, move)(At(log.shard_id(0), number)))
    log.fill(stage.topic, 1)
    stage.run()
    stage.save()
    assert worker.handled == places(0, [9, 10])
    assert stage.held() == [("0", 9)]
