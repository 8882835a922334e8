"""An operator takes leases away, or drains a worker that is to stay up."""

import pytest

from streamapp.brokers.kafka.sources import KafkaTopic
from streamapp.exceptions import ActionRefused
from streamapp.models import Checkpoint, Lease, Worker
from streamapp.registry import subscriber
from streamapp.services.actions import Drain, Release, Undrain
from tests.contract.moving.logs import wait_for
from tests.contract.moving.orders import OPERATOR, order, ready, rounds, scope
from tests.contract.moving.places import places

BY_LEASES = pytest.mark.parametrize(
    "log", ["local", pytest.param("kinesis", marks=pytest.mark.live("kinesis"))], indirect=True
)


@subscriber(KafkaTopic("parcels"))
def assigned(parcel: str) -> None:
    """A handler that nobody calls here."""


def drain(worker, action=Drain):
    action(Worker.objects.get(pk=worker.heartbeat.identity)).do(OPERATOR)
    worker.save()


def leases(stage, worker=None):
    """How many shards somebody holds, or nobody."""
    identity = worker and worker.heartbeat.identity
    return Lease.objects.filter(checkpoint__subscription__name=stage.name, worker=identity).count()


@BY_LEASES
def test_the_same_worker_takes_a_released_shard_again_and_what_was_not_saved_comes_again(log, stage):
    worker = ready(stage)
    log.fill(stage.topic, 2)
    stage.run()
    [before] = Checkpoint.objects.filter(subscription__name=stage.name, shard=log.shard_id(0))
    order(stage, Release, 0)
    assert leases(stage) == 1
    worker.save()
    assert worker.shards == ["1"]
    stage.run(until=lambda: worker.shards == ["0", "1"])
    stage.run()
    assert worker.of(0) == places(0, [10, 11, 10, 11])
    before.refresh_from_db()
    assert (before.epoch, before.revision) == (3, 0)


@BY_LEASES
def test_a_late_save_of_the_old_owner_is_refused(log, stage):
    worker = ready(stage)
    log.fill(stage.topic, 2)
    stage.run()
    order(stage, Release, 0)
    worker.save()
    assert stage.stored()["0"] == 10


@BY_LEASES
def test_another_worker_may_take_it(log, stage):
    ready(stage)
    other = stage.start()
    order(stage, Release)
    stage.workers.reverse()  # the other one looks first
    stage.save()
    stage.run()
    assert len(other.shards) == 1


@pytest.mark.live("kafka")
@pytest.mark.parametrize("log", ["kafka"], indirect=True)
def test_a_release_is_refused_where_a_group_assigns(stage, settings):
    """The mount is looked up by name, as it stands in the settings of the project."""
    ready(stage)
    settings.STREAMAPP = {
        "BROKERS": {
            "kafka": {
                "BACKEND": "streamapp.brokers.kafka.KafkaBroker",
                "OPTIONS": {"bootstrap.servers": stage.log.servers["bootstrap.servers"]},
            }
        },
        "SUBSCRIPTIONS": {
            stage.name: {
                "HANDLER": f"{__name__}.assigned",
                "BROKER": "kafka",
                "SOURCE": {"topic": stage.topic},
            }
        },
    }
    with pytest.raises(ActionRefused, match="Drain the worker instead"):
        Release(scope(stage, 0)).do(OPERATOR)
    assert leases(stage) == 0


@BY_LEASES
def test_nobody_to_release_from_is_refused(stage):
    stage.stop(ready(stage))
    with pytest.raises(ActionRefused, match="Nobody holds"):
        Release(scope(stage, 0)).do(OPERATOR)


def test_a_drained_worker_hands_everything_over_and_takes_nothing(log, stage):
    worker = ready(stage)
    log.fill(stage.topic, 2)
    stage.run()
    drain(worker)
    other = stage.start()
    stage.run(until=lambda: other.shards == ["0", "1"])
    rounds(stage, 3)
    assert worker.shards == []
    assert leases(stage, worker) == 0
    assert stage.stored()["0"] == 12  # it has saved what it had handled
    log.fill(stage.topic, 1)
    stage.run(until=lambda: other.handled)
    assert other.handled == ["0@12"]
    assert worker.consumer.knows_its_shards  # it stays up and is ready


def test_undone_it_takes_its_share_again(log, stage):
    worker = ready(stage)
    drain(worker)
    other = stage.start()
    stage.run(until=lambda: other.shards == ["0", "1"])
    drain(worker, Undrain)
    stage.run(until=lambda: len(worker.shards) == len(other.shards) == 1)
    log.fill(stage.topic, 2, 0)
    log.fill(stage.topic, 2, 1)
    stage.run(until=lambda: len(worker.handled + other.handled) >= 4)
    assert {*worker.handled, *other.handled} == {*places(0, [10, 11]), *places(1, [10, 11])}


def test_the_call_that_runs_may_end(log, stage):
    """No other call starts, and what it has settled is saved before the shard goes."""
    worker = ready(stage, lanes=2)
    log.fill(stage.topic, 3)
    worker.when("0@10", lambda ctx: drain(worker))
    stage.run(until=lambda: worker.handled)
    wait_for(lambda: worker.run_once() or not worker.shards, lambda: "all is handed over")
    assert worker.handled == ["0@10"]
    assert stage.stored()["0"] == 11


def test_a_new_life_of_the_same_process_stays_drained(stage):
    worker = ready(stage)
    drain(worker)
    rounds(stage, 2)
    first = worker.heartbeat.identity
    Worker.objects.filter(pk=first).update(state="dead")
    worker.heartbeat.beat()
    assert worker.heartbeat.identity != first
    rounds(stage, 4)
    assert worker.shards == []
    assert Worker.objects.get(pk=worker.heartbeat.identity).drained_by == "test"


def test_draining_twice_or_undoing_what_was_not_done_is_refused(stage):
    worker = ready(stage)
    with pytest.raises(ActionRefused, match="isn't drained"):
        drain(worker, Undrain)
    drain(worker)
    with pytest.raises(ActionRefused, match="drained already"):
        drain(worker)


def test_a_dead_worker_is_not_drained(stage):
    worker = ready(stage)
    row = Worker.objects.get(pk=worker.heartbeat.identity)
    stage.crash(worker)
    with pytest.raises(ActionRefused, match="doesn't live any more"):
        Drain(row).do(OPERATOR)
