"""REPLAY_FROM: where every start goes back to, whatever is stored."""

import pytest

from streamapp import Outcome
from tests.contract.moving.places import places


@pytest.fixture
def done(stage):
    """The stage, all of which was handled and saved by a worker that has gone."""
    worker = stage.start(start_at="earliest")
    stage.run()
    stage.save()
    stage.stop(worker)
    return stage


@pytest.mark.parametrize("start", ["first", "second"])
def test_earliest_is_where_every_start_reads_from(done, start):
    worker = done.start(replay_from="earliest")
    done.run()
    if start == "second":
        done.save()
        worker = done.restart(worker, replay_from="earliest")
        done.run()
    assert (worker.of(0), worker.of(1)) == (places(0, range(10)), places(1, range(10)))


def test_latest_skips_what_was_not_handled(log, done):
    log.fill(done.topic, 3)
    worker = done.start(replay_from="latest")
    done.run()
    log.fill(done.topic, 1)
    done.run()
    assert worker.handled == ["0@13"]


@pytest.mark.parametrize("position", ["1@7", "{topic}/1@7"])
def test_a_record_is_the_first_of_its_partition_and_the_others_go_on_where_they_were(log, done, position):
    log.fill(done.topic, 1)
    worker = done.start(replay_from=position.format(topic=done.topic))
    done.run()
    assert (worker.of(0), worker.of(1)) == (["0@10"], places(1, [7, 8, 9]))


@pytest.mark.parametrize("position", ["{moment}", "-1h"])
def test_a_moment_goes_back_to_the_first_record_since(log, done, position):
    log.fill(done.topic, 2)
    worker = done.start()
    done.run()
    done.save()
    worker = done.restart(worker, replay_from=position.format(moment=log.moment))
    done.run()
    assert worker.handled == places(0, [10, 11])


def test_the_checkpoint_goes_back_with_the_first_save(done):
    worker = done.start(replay_from="earliest")
    worker.when("0@3", lambda ctx: Outcome.hold())
    done.run()
    assert done.stored() == {"0": 10, "1": 10}
    done.save()
    assert done.stored() == {"0": 3, "1": 10}


def test_a_crash_in_the_middle_replays_again_or_goes_on_where_it_was_saved(done):
    worker = done.start(replay_from="earliest")
    worker.when("0@3", lambda ctx: Outcome.hold())
    done.run()
    done.save()
    worker = done.restart(worker)
    done.run()
    assert worker.handled == places(0, range(3, 10))
    worker = done.restart(worker, replay_from="earliest")
    done.run()
    assert worker.of(0) == places(0, range(10))


def test_what_was_settled_behind_a_held_record_comes_again_though_the_replay_begins_at_that_record(stage):
    worker = stage.start(start_at="earliest", redeliver="unsettled")
    worker.when("0@0", lambda ctx: Outcome.hold())
    stage.run()
    stage.save()
    worker = stage.restart(worker, redeliver="unsettled", replay_from="earliest")
    stage.run()
    assert worker.of(0) == places(0, range(10))


@pytest.mark.parametrize(("scope", "again"), [("start", []), ("assignment", range(10))])
def test_a_partition_that_comes_later_is_replayed_by_scope_assignment_only(done, scope, again):
    first = done.start(replay_from="earliest", replay_scope=scope)
    done.run()
    second = done.start()
    done.run()
    done.save()
    [moved] = second.shards
    done.stop(second)
    first.forget()
    done.run()
    assert first.handled == places(moved, again)


def test_a_rewind_that_no_worker_has_seen_wins_over_it_once(done):
    done.rewind("0@6")
    worker = done.start(replay_from="earliest")
    done.run()
    assert (worker.of(0), worker.of(1)) == (places(0, range(6, 10)), places(1, range(10)))
    done.save()
    worker = done.restart(worker, replay_from="earliest")
    done.run()
    assert worker.of(0) == places(0, range(10))


def test_a_rewind_whose_worker_crashed_before_it_could_say_so_still_wins(done):
    done.rewind("0@6")
    worker = done.start(replay_from="earliest")
    worker.consumer.saver.note_moves = lambda: None  # the crash comes before
    done.run(until=lambda: worker.shards)
    worker = done.restart(worker, replay_from="earliest")
    done.run()
    assert worker.of(0) == places(0, range(6, 10))
