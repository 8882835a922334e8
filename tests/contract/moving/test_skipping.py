"""An operator skips one held record: it is retired as a drop, and nothing else is."""

import pytest

from streamapp import Outcome
from streamapp.engine.holdings import Holdings
from streamapp.exceptions import ActionRefused, BrokerUnavailable
from streamapp.models import HeldRecord, SkippedRecord, SkipResult
from streamapp.services.actions import Pause, Skip
from tests.contract.moving.logs import TOPICS
from tests.contract.moving.orders import OPERATOR, held, holding, order, ready, rounds, skip
from tests.contract.moving.places import places

WAYS = [
    {},
    {"redeliver": "unsettled"},
    {"transaction": "checkpoint"},
    {"lanes": 3},
    {"lanes": 3, "order": "key"},
    {"lanes": 2, "redeliver": "unsettled"},
]


def stuck(stage, *, hold=(11,), filled=5, **options):
    """A worker that holds records of the first partition and has handled what is behind them."""
    worker = ready(stage, **options)
    holding(worker, *places(0, hold))
    stage.log.fill(stage.topic, filled)
    stage.run()
    stage.save()
    worker.forget()
    return worker


@pytest.mark.parametrize("options", WAYS)
def test_the_running_worker_retires_it_and_the_checkpoint_moves_on(stage, options):
    worker = stuck(stage, **options)
    assert stage.stored()["0"] == 11
    asked = skip(stage, 11)
    stage.save()
    assert stage.stored()["0"] == 15
    assert (stage.held(), worker.handled) == ([], [])
    stage.save()
    asked.refresh_from_db()
    assert asked.applied_by_id == worker.heartbeat.identity
    assert asked.result == SkipResult.SKIPPED


@pytest.mark.parametrize("options", WAYS)
def test_exactly_one_of_several_held_records_is_retired(stage, options):
    worker = stuck(stage, hold=(11, 13), **options)
    skip(stage, 11)
    stage.save()
    stage.save()
    assert (stage.stored()["0"], stage.held()) == (13, [("0", 13)])
    worker = stage.restart(worker, **options)
    stage.run()
    assert "0@13" in worker.handled
    assert "0@11" not in worker.handled


@pytest.mark.parametrize("options", WAYS)
def test_one_behind_another_stays_retired_over_a_crash(stage, options):
    """The checkpoint can't pass it yet, so the order itself must survive."""
    worker = stuck(stage, hold=(11, 13), **options)
    asked = skip(stage, 13)
    stage.save()
    assert (stage.stored()["0"], stage.held()) == (11, [("0", 11)])
    worker = stage.restart(worker, **options)
    holding(worker, "0@11", times=1)
    stage.run()
    assert "0@11" in worker.handled
    assert "0@13" not in worker.handled
    stage.save()
    worker = stage.restart(worker, **options)
    stage.run()
    stage.save()
    stage.save()
    assert stage.stored()["0"] == 15
    asked.refresh_from_db()
    assert asked.result == SkipResult.SKIPPED


@pytest.mark.parametrize("kind", ["batch", "async_record", "async_batch"])
def test_it_works_for_every_kind_of_handler(stage, kind):
    worker = ready(stage, kind=kind)
    stage.log.fill(stage.topic, 1)
    holding(worker, "0@10")
    stage.run()
    stage.save()
    assert stage.held() == [("0", 10)]
    stage.log.fill(stage.topic, 2)
    stage.run()
    skip(stage, 10)
    stage.save()
    assert (stage.stored()["0"], stage.held()) == (13, [])


@pytest.mark.parametrize("options", [{}, {"lanes": 2}, {"transaction": "checkpoint"}])
def test_an_undecodable_one_stays_skipped_when_its_batch_comes_again_after_an_outage(stage, options):
    worker = ready(stage, kind="batch", decode=undecodable("0@10"), on_undecodable="hold", **options)
    worker.when("0@11", unavailable)
    stage.log.fill(stage.topic, 3)
    stage.run(until=lambda: worker.of(0))
    stage.save()
    skip(stage, 10)
    stage.save()
    worker.ahead += 2
    stage.run()
    stage.save()
    assert (stage.stored()["0"], stage.held()) == (13, [])


def undecodable(value):
    def decode(raw):
        if raw.decode() == value:
            raise ValueError("cut off")
        return raw.decode()

    return decode


def unavailable(ctx):
    raise BrokerUnavailable("nobody is there")


@pytest.mark.parametrize("options", WAYS)
def test_without_a_live_worker_it_waits_until_one_takes_the_shard(stage, options):
    """Though the checkpoint may pass it before that worker looks at its orders again."""
    worker = stuck(stage, **options)
    stage.crash(worker)
    asked = skip(stage, 11)
    stage.log.fill(stage.topic, 1)
    worker = stage.start(**options)
    stage.run()
    assert HeldRecord.objects.filter(checkpoint__subscription__name=stage.name).count() == 0
    assert "0@11" not in worker.handled
    stage.save()
    stage.save()
    assert stage.stored()["0"] == 16
    asked.refresh_from_db()
    assert (asked.result, asked.applied_by_id) == (SkipResult.SKIPPED, worker.heartbeat.identity)


def test_after_a_graceful_stop_too(stage):
    stage.stop(stuck(stage))
    skip(stage, 11)
    worker = stage.start()
    stage.run()
    assert worker.of(0) == places(0, [12, 13, 14])


def test_a_record_that_is_not_held_any_more_is_refused(stage):
    worker = stuck(stage)
    [row] = held(stage)
    worker = stage.restart(worker)
    stage.run()
    stage.save()
    with pytest.raises(ActionRefused, match="isn't held"):
        Skip(row.checkpoint, row.position).do(OPERATOR)


def test_the_same_record_is_not_skipped_twice(stage):
    stuck(stage)
    [row] = held(stage)
    skip(stage, 11)
    with pytest.raises(ActionRefused, match="being skipped already"):
        Skip(row.checkpoint, row.position).do(OPERATOR)


def test_a_rewind_brings_it_again(stage):
    worker = stuck(stage, hold=(11, 13))
    asked = skip(stage, 13)
    stage.save()
    stage.rewind("0@11")
    stage.save()
    stage.run()
    assert worker.of(0) == places(0, range(11, 15))
    asked.refresh_from_db()
    assert asked.result == SkipResult.REWOUND


def test_a_rewind_to_behind_it_leaves_the_order_to_end(stage):
    stuck(stage)
    asked = skip(stage, 11)
    stage.rewind("0@13")
    stage.save()
    stage.run()
    stage.save()
    stage.save()
    asked.refresh_from_db()
    assert asked.ended_at is not None


def test_a_seek_back_after_it_was_passed_brings_it_again(stage):
    worker = stuck(stage)
    skip(stage, 11)
    rounds(stage, 3)
    position = stage.position("0@10")
    worker.when("0@15", lambda ctx: ctx.seek(position))
    stage.log.fill(stage.topic, 1)
    worker.calls.reactions.pop("0@11", None)
    stage.run()
    assert worker.of(0) == ["0@15", *places(0, range(10, 16))]


def test_a_shard_that_is_lost_while_its_record_is_skipped_ends_no_saver(stage, monkeypatch):
    worker = stuck(stage)
    skip(stage, 11)
    retire = Holdings.retire

    def lost_behind_it(holdings):
        retired = retire(holdings)
        holdings.drop(list(holdings.states))
        return retired

    monkeypatch.setattr(Holdings, "retire", lost_behind_it)
    stage.save()
    monkeypatch.undo()
    stage.restart(worker)
    stage.run()
    stage.save()
    assert (stage.stored()["0"], stage.held()) == (15, [])


def test_a_paused_shard_can_still_lose_its_held_record(stage):
    stuck(stage)
    order(stage, Pause, 0)
    skip(stage, 11)
    stage.save()
    assert stage.stored()["0"] == 15


def test_the_order_names_who_and_why_in_the_log(stage, caplog):
    stuck(stage)
    skip(stage, 11)
    stage.save()
    [line] = [record.getMessage() for record in caplog.records if "Record skipped" in record.message]
    assert "by=test" in line and "reason='the carrier is down'" in line


@TOPICS
def test_a_record_that_was_settled_meanwhile_is_told_from_a_skipped_one(stage):
    worker = ready(stage)
    [row] = stage.rows().filter(shard=stage.log.shard_id(0))
    stage.log.fill(stage.topic, 1)
    stage.run()
    asked = SkippedRecord.objects.create(checkpoint=row, position=10, asked_at=row.saved_at)
    stage.save()
    stage.save()
    asked.refresh_from_db()
    assert (asked.result, worker.handled) == (SkipResult.SETTLED, ["0@10"])


def test_a_batch_of_outcomes_loses_one_held_record(stage):
    worker = ready(stage, kind="batch", transaction="checkpoint")
    stage.log.fill(stage.topic, 5)

    def mixed(values, ctx):
        worker.calls.values.extend(values)
        return [Outcome.hold("no") if value in ("0@11", "0@13") else Outcome.ack() for value in values]

    worker.consumer.lanes.handling._call = mixed
    stage.run()
    stage.save()
    assert stage.held() == [("0", 11), ("0", 13)]
    skip(stage, 11)
    stage.save()
    assert (stage.stored()["0"], stage.held()) == (13, [("0", 13)])
