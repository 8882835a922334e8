"""A rewind that an operator applies while workers run, or while none does."""

import pytest

from streamapp import Outcome
from streamapp.mount import Retry
from tests.contract.moving.places import places


def ready(stage, **options):
    """A worker that has handled and saved everything."""
    worker = stage.start(start_at="earliest", **options)
    stage.run()
    stage.save()
    worker.forget()
    return worker


KINDS = [
    ("earliest", {"0": 0, "1": 0}),
    ("latest", {"0": 12, "1": 10}),
    ("0@5", {"0": 5, "1": 10}),
    ("{topic}/1@2", {"0": 12, "1": 2}),
    ("{moment}", {"0": 10, "1": 10}),
    ("-1h", {"0": 10, "1": 10}),
    ("-7d", {"0": 0, "1": 0}),
    ("0@1", {"0": 1, "1": 10}),
]


def rewound(log, stage, worker, position):
    """Rewind, check that the review's places are stored, and let the worker follow."""
    position = position.format(topic=stage.topic, moment=log.moment)
    reviewed = stage.reviewed(stage.plan(position))
    stage.rewind(position)
    stored = stage.stored()
    assert reviewed.items() <= stored.items()
    stage.save()
    stage.run()
    assert worker.of(0) == places(0, range(stored["0"], 12))
    assert worker.of(1) == places(1, range(stored["1"], 10))
    return stored


@pytest.mark.parametrize(("position", "expected"), KINDS)
def test_each_kind_stores_the_reviewed_numbers_and_the_handler_gets_exactly_what_is_behind(
    log, stage, position, expected
):
    log.fill(stage.topic, 2)
    assert rewound(log, stage, ready(stage), position) == expected


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("earliest", {"0": 3, "1": 0}),
        ("-7d", {"0": 3, "1": 0}),
        ("0@1", {"0": 3, "1": 10}),
        ("0@99", {"0": 12, "1": 10}),
    ],
)
def test_a_number_outside_of_the_log_becomes_its_nearest_end(log, stage, position, expected):
    log.fill(stage.topic, 2)
    worker = ready(stage)
    log.trim(stage.topic, 3)
    assert rewound(log, stage, worker, position) == expected


def test_it_is_stamped_when_the_worker_reads_from_there_and_not_before(stage):
    worker = ready(stage)
    [shard] = stage.rewind("1@4").shards.all()
    stage.save()
    shard.refresh_from_db()
    assert shard.applied_at is None
    stage.run()
    stage.save()
    shard.refresh_from_db()
    assert shard.applied_by_id == worker.heartbeat.identity


def test_a_late_save_does_not_bring_the_old_position_back(log, stage):
    worker = ready(stage)
    log.fill(stage.topic, 5)
    stage.run()
    stage.rewind("0@2")
    stage.save()
    assert stage.stored()["0"] == 2
    stage.run()
    stage.save()
    assert stage.stored()["0"] == 15
    assert worker.handled == [*places(0, range(10, 15)), *places(0, range(2, 15))]


def test_what_is_handled_before_the_worker_has_looked_settles_nothing(log, stage):
    worker = ready(stage)
    stage.rewind("0@2")
    log.fill(stage.topic, 1)
    stage.run()
    worker = stage.restart(worker)
    stage.run()
    assert worker.handled == places(0, range(2, 11))


def test_after_a_rewind_the_checkpoint_advances_from_the_new_position(log, stages):
    stage = stages(log.topic(filled=100))
    worker = ready(stage)
    assert stage.stored() == {"0": 100}
    worker.when("0@21", lambda ctx: Outcome.hold())
    stage.rewind("0@10")
    stage.save()
    stage.run()
    stage.save()
    assert stage.stored() == {"0": 21}
    worker = stage.restart(worker)
    stage.run()
    assert worker.handled == places(0, range(21, 100))


def test_a_held_record_comes_again_first_and_everything_behind_it(log, stage):
    worker = ready(stage)
    worker.when("0@11", lambda ctx: Outcome.hold())
    log.fill(stage.topic, 3)
    stage.run()
    stage.save()
    assert stage.held() == [("0", 11)]
    stage.rewind("0@11")
    worker.forget()
    stage.save()
    stage.run()
    stage.save()
    assert (worker.handled, stage.held(), stage.stored()["0"]) == (places(0, [11, 12]), [], 13)


def test_a_record_that_waits_for_its_retry_comes_again_at_once(log, stage):
    worker = ready(stage, retry=Retry(attempts=9, first=3600.0, most=3600.0))
    worker.when("0@10", lambda ctx: Outcome.retry())
    log.fill(stage.topic, 2)
    stage.run(until=lambda: worker.handled)
    stage.rewind("0@9")
    stage.save()
    stage.run()
    assert worker.handled == places(0, [10, 9, 10, 11])


def test_each_worker_follows_with_its_own_shards(stage):
    pair = [stage.start(start_at="earliest") for _ in range(2)]
    stage.run()
    stage.save()
    for worker in pair:
        worker.forget()
    stage.rewind("earliest")
    stage.save()
    stage.run()
    for worker in pair:
        [shard] = worker.shards
        assert worker.handled == places(shard, range(10))


def test_a_rewind_of_chosen_shards_leaves_the_others_alone(log, stage):
    worker = ready(stage)
    stage.rewind("earliest", log.shards(stage.topic)[1:])
    stage.save()
    stage.run()
    assert worker.handled == places(1, range(10))


def test_a_rewind_while_nobody_runs_is_where_the_next_start_opens(stage):
    stage.stop(ready(stage))
    [shard] = stage.rewind("0@8").shards.all()
    worker = stage.start()
    stage.run()
    stage.save()
    shard.refresh_from_db()
    assert (worker.handled, shard.applied_by_id) == (places(0, [8, 9]), worker.heartbeat.identity)
