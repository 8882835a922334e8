"""What is settled behind the checkpoint: forgotten by a move, and bounded."""

from streamapp import Outcome
from tests.contract.moving.places import places


def held_at_three(stage, **options):
    worker = stage.start(start_at="earliest", redeliver="unsettled", **options)
    worker.when("0@3", lambda ctx: Outcome.hold())
    stage.run()
    stage.save()
    assert stage.stored()["0"] == 3
    return worker


def test_a_seek_to_the_checkpoint_brings_again_what_was_settled_behind_it(stage):
    worker = stage.restart(held_at_three(stage), redeliver="unsettled")
    worker.when("0@3", lambda ctx: ctx.seek(stage.position("0@3")))
    stage.run()
    assert worker.of(0) == ["0@3", *places(0, range(3, 10))]


def test_a_rewind_to_the_checkpoint_brings_again_what_was_settled_behind_it(stage):
    worker = held_at_three(stage)
    worker.forget()
    stage.rewind("0@3")
    stage.save()
    stage.run()
    assert worker.of(0) == places(0, range(3, 10))


def test_a_shard_with_too_much_to_remember_is_paused_until_some_of_it_is_settled(stage, monkeypatch, caplog):
    monkeypatch.setattr("streamapp.engine.shard.MOST_RANGES", 3)
    worker = stage.start(start_at="earliest", redeliver="unsettled")
    for number in (0, 2, 4, 6, 8):
        worker.when(f"0@{number}", lambda ctx: Outcome.hold())
    stage.run(until=lambda: len(worker.handled) == 20)
    stage.log.fill(stage.topic, 5, partition=0)
    stage.log.fill(stage.topic, 5, partition=1)
    stage.run(until=lambda: len(worker.of(1)) == 15)
    assert worker.of(0) == places(0, range(10))
    assert "Shard paused" in caplog.text
    stage.save()
    worker = stage.restart(worker, redeliver="unsettled")
    stage.run()
    assert worker.of(0) == [*places(0, range(0, 10, 2)), *places(0, range(10, 15))]
