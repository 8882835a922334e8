"""Shards that go to another worker, and come back."""

from streamapp import Outcome
from streamapp.mount import Retry
from tests.contract.moving.places import places

HOURS = Retry(attempts=9, first=3600.0, most=3600.0)


def stuck(stage):
    """A worker that has settled 0 to 3 of each partition, started 4, and fetched all ten."""
    worker = stage.start(start_at="earliest", retry=HOURS)
    for partition in "01":
        worker.when(f"{partition}@4", lambda ctx: Outcome.retry())
    stage.run(until=lambda: {"0@4", "1@4"} <= set(worker.handled))
    return worker


def test_fetched_is_not_finished_when_a_worker_stops(stage):
    stage.stop(stuck(stage))
    assert stage.stored() == {"0": 4, "1": 4}
    worker = stage.start()
    stage.run()
    assert (worker.of(0), worker.of(1)) == (places(0, range(4, 10)), places(1, range(4, 10)))


def test_fetched_is_not_finished_when_a_shard_goes_to_another_worker(stage):
    stuck(stage)
    other = stage.start(retry=HOURS)
    stage.run(until=lambda: len(other.handled) == 6)
    [moved] = other.shards
    assert other.handled == places(moved, range(4, 10))


def test_nothing_of_an_earlier_assignment_is_left_when_a_shard_comes_back(log, stage):
    first = stage.start(start_at="earliest")
    stage.run()
    second = stage.start()
    stage.run()
    [shard] = second.shards
    log.fill(stage.topic, 40, partition=int(shard))
    stage.run()
    stage.stop(second)
    assert stage.stored()[shard] == 50
    first.forget()
    log.fill(stage.topic, 10, partition=int(shard))
    stage.run()
    stage.save()
    assert (first.handled, stage.stored()[shard]) == (places(shard, range(50, 60)), 60)


def test_a_retry_that_waited_is_forgotten_with_its_shard(stage):
    first = stuck(stage)
    second = stage.start(retry=HOURS)
    stage.run(until=lambda: len(second.handled) == 6)
    [moved] = second.shards
    first.ahead = 7200.0
    stage.run()
    assert first.of(moved) == places(moved, range(5))


def test_nothing_is_written_when_nothing_has_changed(stage):
    worker = stage.start(start_at="earliest")
    stage.run()
    stage.save()
    stage.restart(worker, replay_from="0@8")
    stage.run()
    stage.save()
    saved = set(stage.rows().values_list("saved_at", flat=True))
    stage.save()
    assert set(stage.rows().values_list("saved_at", flat=True)) == saved
