"""An operator lets held records be delivered again now, without a restart."""

import pytest

from streamapp import Outcome
from streamapp.exceptions import ActionRefused
from streamapp.services.actions import Redeliver
from tests.contract.moving.orders import OPERATOR, holding, order, ready, scope
from tests.contract.moving.places import places


def holds(stage, *, hold=(11,), partitions=(0,), **options):
    """A worker that holds records and has handled what is behind them."""
    worker = ready(stage, **options)
    for partition in partitions:
        holding(worker, *places(partition, hold), times=1)
        stage.log.fill(stage.topic, 5, partition)
    stage.run()
    stage.save()
    worker.forget()
    return worker


@pytest.mark.parametrize("options", [{}, {"lanes": 3}])
def test_the_held_one_comes_first_and_everything_behind_it_again(stage, options):
    worker = holds(stage, **options)
    order(stage, Redeliver, 0)
    stage.save()
    stage.run()
    stage.save()
    assert worker.handled == places(0, range(11, 15))
    assert (stage.stored()["0"], stage.held()) == (15, [])


@pytest.mark.parametrize("options", [{"redeliver": "unsettled"}, {"transaction": "checkpoint"}])
def test_where_settled_records_are_stored_only_the_held_ones_come_again(stage, options):
    worker = holds(stage, hold=(11, 13), **options)
    order(stage, Redeliver, 0)
    stage.save()
    stage.run()
    stage.save()
    assert worker.handled == places(0, [11, 13])
    assert stage.stored()["0"] == 15


def test_all_shards_of_a_subscription_that_hold_something_come_again(stage):
    worker = holds(stage, partitions=(0, 1))
    order(stage, Redeliver)
    stage.save()
    stage.run()
    assert sorted(worker.handled) == sorted(places(0, range(11, 15)) + places(1, range(11, 15)))


def test_other_shards_are_left_alone(stage):
    worker = holds(stage, partitions=(0, 1))
    order(stage, Redeliver, 0)
    stage.save()
    stage.run()
    assert worker.handled == places(0, range(11, 15))


def test_what_is_handled_before_the_worker_has_looked_settles_nothing(stage):
    """It is fenced: a save of the epoch before is refused."""
    worker = holds(stage)
    order(stage, Redeliver, 0)
    stage.log.fill(stage.topic, 1)
    stage.run()
    assert worker.handled == ["0@15"]
    stage.save()
    stage.run()
    assert worker.handled == ["0@15", *places(0, range(11, 16))]


def test_with_nobody_running_the_next_start_brings_them_anyway(stage):
    stage.stop(holds(stage))
    order(stage, Redeliver)
    worker = stage.start()
    stage.run()
    assert worker.of(0) == places(0, range(11, 15))


def test_a_record_that_is_held_again_is_shown_again(stage):
    worker = holds(stage)
    worker.when("0@11", lambda ctx: Outcome.hold("still no carrier"))
    order(stage, Redeliver, 0)
    assert stage.held() == []
    stage.save()
    stage.run()
    stage.save()
    assert stage.held() == [("0", 11)]


@pytest.mark.parametrize("partition", [None, 0])
def test_nothing_to_redeliver_is_refused(stage, partition):
    ready(stage)
    with pytest.raises(ActionRefused, match="holds no record"):
        Redeliver(scope(stage, partition)).do(OPERATOR)
