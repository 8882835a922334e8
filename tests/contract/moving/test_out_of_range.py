"""A checkpoint that the log doesn't keep: ON_OUT_OF_RANGE says where reading goes on."""

import logging
import time

import pytest

from streamapp.engine.alerting import Alerting
from streamapp.engine.retention import RetentionWatch
from streamapp.engine.stuck import StuckCalls
from streamapp.models import Alert, Skip
from streamapp.observability import metrics
from streamapp.outcomes import Outcome
from streamapp.store import Store
from tests.contract.moving.places import places


@pytest.fixture
def trimmed(log, stage):
    """A stage that stopped at 10; the log of its first partition begins at 15 and ends at 20 now."""
    worker = stage.start(start_at="latest")
    stage.run()
    stage.stop(worker)
    log.fill(stage.topic, 10)
    log.trim(stage.topic, 15)
    return stage


@pytest.mark.parametrize(
    ("policy", "first", "saved"), [({}, 15, 21), ({"on_out_of_range": "latest"}, 20, 21)], ids=str
)
def test_before_the_first_record_kept_reading_goes_on_by_the_policy_and_says_so(
    log, trimmed, caplog, policy, first, saved
):
    worker = trimmed.start(**policy)
    with caplog.at_level(logging.ERROR):
        trimmed.run()
    log.fill(trimmed.topic, 1)
    trimmed.run()
    trimmed.save()
    assert (worker.handled, trimmed.stored()["0"]) == (places(0, range(first, 21)), saved)
    [said] = [message for message in caplog.messages if "doesn't keep the position" in message]
    assert f"{trimmed.topic}/0 position=10" in said


def test_stop_leaves_the_shard_where_it_is_and_the_others_go_on_until_an_operator_rewinds(
    log, trimmed, caplog
):
    worker = trimmed.start(on_out_of_range="stop")
    log.fill(trimmed.topic, 1, partition=1)
    with caplog.at_level(logging.ERROR):
        trimmed.run(until=lambda: worker.handled and "stands still" in caplog.text)
    trimmed.save()
    assert (worker.handled, trimmed.stored()) == (["1@10"], {"0": 10, "1": 11})
    trimmed.rewind("0@18")
    trimmed.save()
    trimmed.run()
    assert worker.of(0) == places(0, [18, 19])


@pytest.mark.parametrize(("policy", "step"), [("latest", "bounds"), ("stop", "bounds"), ("latest", "add")])
def test_a_rewind_stands_that_is_adopted_while_the_policy_is_followed(trimmed, monkeypatch, policy, step):
    """The log is asked for its bounds, then the trace is added: the rewind may come during either."""
    worker = trimmed.start(on_out_of_range=policy)
    owner = trimmed.log.broker if step == "bounds" else trimmed.store.skips
    unchanged = getattr(owner, step)

    def rewound_meanwhile(*arguments):
        monkeypatch.undo()
        trimmed.rewind("0@18")
        worker.save()
        return unchanged(*arguments)

    trimmed.run(until=lambda: worker.shards == ["0", "1"])
    monkeypatch.setattr(owner, step, rewound_meanwhile)
    trimmed.run(until=lambda: getattr(owner, step) != rewound_meanwhile)
    trimmed.run()
    trimmed.save()
    assert (worker.of(0), trimmed.stored()["0"]) == (places(0, [18, 19]), 20)
    assert worker.consumer.watch.stopped == {}


@pytest.mark.parametrize(("policy", "first", "saved"), [("earliest", 0, 10), ("latest", 10, 10)])
def test_behind_the_end_reading_goes_on_by_the_policy_and_the_checkpoint_goes_back(
    stage, policy, first, saved
):
    worker = stage.start(start_at="0@99", on_out_of_range=policy)
    stage.run()
    stage.save()
    assert (worker.of(0), stage.stored()["0"]) == (places(0, range(first, 10)), saved)


def test_it_is_found_when_the_log_is_trimmed_while_the_shard_waits(log, stage):
    """Records that retention took away before they were read can't come; the next one kept does."""
    worker = stage.start(start_at="earliest")
    stage.run()
    stage.rewind("0@2")
    log.trim(stage.topic, 6)
    worker.forget()
    stage.save()
    stage.run()
    stage.save()
    assert (worker.handled, stage.stored()["0"]) == (places(0, range(6, 10)), 10)


def test_the_loss_is_written_down_counted_and_logged_with_how_many_records_it_was(log, trimmed, caplog):
    worker = trimmed.start()
    trimmed.run()
    [skip] = Skip.objects.filter(checkpoint__subscription__name=trimmed.name)
    assert (skip.old_position, skip.new_position, skip.records, skip.policy) == (10, 15, 5, "earliest")
    assert " to=15 skipped=5" in caplog.text
    assert counted(worker) == (1, 5)


def test_a_shard_that_stands_still_is_an_alert_until_somebody_moves_it(log, trimmed):
    worker = trimmed.start(on_out_of_range="stop")
    trimmed.run(until=lambda: worker.consumer.watch.stopped)
    alerting = alerts_of(worker)
    alerting.run_once()
    [alert] = Alert.objects.filter(worker=worker.heartbeat.identity)
    assert (alert.kind, alert.position) == ("stopped", 10)
    trimmed.rewind("0@18")
    trimmed.save()
    trimmed.run()
    alerting.run_once()
    assert not Alert.objects.filter(worker=worker.heartbeat.identity).exists()


def test_fault_5_a_checkpoint_is_warned_of_before_retention_passes_it_and_follows_the_policy_after(
    log, stage, caplog
):
    """It stands in front of a held record, and nothing else comes for longer than the retention."""
    worker = stage.start(start_at="earliest")
    worker.when("0@4", lambda ctx: Outcome.hold("unknown carrier"))
    stage.run()
    stage.save()
    retention, alerting = watched(worker)
    log.trim(stage.topic, 1)
    assert retention.look_once(worker.consumer)
    alerting.run_once()
    assert "about to pass" not in caplog.text
    log.trim(stage.topic, 3)
    for _ in range(2):
        assert retention.look_once(worker.consumer)
        alerting.run_once()
    [said] = [line for line in caplog.messages if "Retention is about to pass the checkpoint." in line]
    assert f"{stage.topic}/0 position=4" in said
    [alert] = Alert.objects.filter(worker=worker.heartbeat.identity)
    assert (alert.kind, alert.position) == ("expiring", 4)
    log.trim(stage.topic, 7)
    worker = stage.restart(worker)
    stage.run()
    stage.save()
    assert (worker.of(0), stage.stored()["0"]) == (places(0, [7, 8, 9]), 10)
    assert counted(worker) == (1, 3)
    assert "reading elsewhere" in caplog.text


def test_a_checkpoint_at_the_end_has_nothing_to_lose(log, stage, caplog):
    worker = stage.start(start_at="earliest")
    stage.run()
    retention, _ = watched(worker)
    for before in (1, 9, 10):
        log.trim(stage.topic, before)
        assert retention.look_once(worker.consumer)
    assert retention.found(worker.consumer) == []


def counted(worker):
    counts = worker.consumer.watch.tally.counts()
    return counts[metrics.OUT_OF_RANGE], counts[metrics.RECORDS_SKIPPED]


def watched(worker):
    retention = RetentionWatch({worker.log.broker.alias: worker.log.broker}, time.monotonic)
    return retention, alerts_of(worker, retention)


def alerts_of(worker, retention=None):
    retention = retention or RetentionWatch({}, time.monotonic)
    stuck = StuckCalls(worker.loop, 60.0, time.monotonic)
    return Alerting([worker.consumer], worker.heartbeat, stuck, retention, Store("default"), time.monotonic)
