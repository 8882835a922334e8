"""What a broker says about how long its logs keep records."""

from dataclasses import replace

import pytest

from streamapp.brokers.base import Kept
from tests.contract.moving.logs import new_name, wait_for


def test_a_log_says_where_it_begins_and_ends_or_how_long_it_keeps_records(log):
    topic = log.topic(partitions=2, filled=10)
    shards = log.shards(topic)
    kept = log.broker.kept(shards)
    if log.broker.alias == "kinesis":
        known = {shard: replace(each, since=None) for shard, each in kept.items()}
        assert known == dict.fromkeys(shards, Kept(seconds=86_400.0))
        assert all(each.since < min(log.positions[shard]) for shard, each in kept.items())
    else:
        assert kept == dict.fromkeys(shards, Kept(0, 10))


@pytest.mark.live("kafka")
def test_a_topic_says_after_how_long_it_deletes(kafka):
    from confluent_kafka.admin import NewTopic

    kept = {
        new_name(): {"retention.ms": "3600000"},
        new_name(): {"retention.ms": "3600000", "cleanup.policy": "compact"},
    }
    topics = [NewTopic(name, 1, config=config) for name, config in kept.items()]
    for future in kafka.admin.create_topics(topics).values():
        future.result()
    kafka.made.update(kept)
    shards = [shard for name in kept for shard in served(kafka, name)]
    assert [kafka.broker.kept(shards)[shard].seconds for shard in shards] == [3600.0, None]


def served(log, name):
    wait_for(lambda: log._serves(name, 1), lambda: f"{name} is there")
    return log.shards(name)
