"""Shards are spread evenly over the workers, and a planned move handles no record twice."""

from collections import Counter

import pytest

from tests.contract.broker.benches import wait_for
from tests.contract.moving.kafka_log import KafkaLog
from tests.contract.resharding.spreads import KafkaSpread, KinesisSpread

pytestmark = pytest.mark.timeout(180)
INTERVALS = 3


@pytest.fixture(
    params=[
        pytest.param("kinesis", marks=pytest.mark.live("kinesis")),
        pytest.param("kafka", marks=pytest.mark.live("kafka")),
    ]
)
def spread(request, db):
    if request.param == "kinesis":
        yield KinesisSpread(request.getfixturevalue("stages")(shards=8))
        return
    log = KafkaLog()
    spread = KafkaSpread(log)
    yield spread
    spread.stage.close()
    log.close()


def within_three_intervals(spread, shares):
    for _ in range(INTERVALS):
        spread.publish()
        spread.go_round()
    assert spread.holders() == shares


def settle(spread):
    def is_through():
        spread.go_round()
        return spread.published() <= set(spread.handled())

    wait_for(is_through, f"all is handled; missing {len(spread.published() - set(spread.handled()))}")


def test_two_then_four_then_three_workers_share_within_one_and_handle_no_record_twice(spread):
    spread.start()
    second = spread.start()
    within_three_intervals(spread, [4, 4])
    spread.start()
    spread.start()
    within_three_intervals(spread, [2, 2, 2, 2])
    spread.stage.stop(second)
    within_three_intervals(spread, [2, 3, 3])
    settle(spread)
    assert [value for value, count in Counter(spread.handled()).items() if count > 1] == []


def test_a_clean_stop_releases_everything_at_once(spread):
    leaving, staying = spread.start(), spread.start()
    within_three_intervals(spread, [4, 4])
    spread.stage.stop(leaving)
    assert spread.free() == 4
    staying.run_once()
    assert spread.holders() == [8]


def test_a_worker_that_joins_moves_no_more_shards_than_it_must(spread):
    before = [spread.start(), spread.start()]
    within_three_intervals(spread, [4, 4])
    for _ in range(4):  # whatever the order of the identities, which are drawn
        held = [set(worker.consumer.holdings.states) for worker in before]
        joining = spread.start()
        within_three_intervals(spread, [2, 3, 3])
        now = [set(worker.consumer.holdings.states) for worker in before]
        assert all(new < old for old, new in zip(held, now, strict=True))
        assert len(joining.consumer.holdings.states) == 2
        spread.stage.stop(joining)
        within_three_intervals(spread, [4, 4])
