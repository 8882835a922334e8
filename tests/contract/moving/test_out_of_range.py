"""A checkpoint that the log doesn't keep: ON_OUT_OF_RANGE says where reading goes on."""

import logging

import pytest

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
