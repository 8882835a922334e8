"""The first records of many shards at once: each shard at its own place, and nobody is disturbed."""

import pytest

from streamapp.brokers.looking import Limits, Peeked, Stop
from streamapp.positions import Earliest, Latest
from streamapp.records import Shard

SECONDS = 20.0
PARTITIONS = 3
ONE = Limits(1, 1024 * 1024, SECONDS)


@pytest.fixture
def filled(bench):
    """A stream with a few records in each of its shards."""
    stream = bench.stream(PARTITIONS)
    wanted = set(bench.shards(stream))
    number = 0
    while wanted:
        wanted.discard(bench.broker.publish(stream, b"%d" % number, key=b"key %d" % number).shard)
        number += 1
    return bench.shards(stream)


def values(glance):
    assert isinstance(glance, Peeked), glance
    return [record.value for record in glance.records]


def test_every_shard_shows_the_record_that_a_look_at_it_alone_shows(bench, filled):
    places = bench.broker.resolve(Earliest(), filled)

    found = bench.broker.firsts(places, SECONDS)

    assert found.keys() == set(filled)
    for shard, glance in found.items():
        [record] = glance.records
        assert record.shard == shard and values(glance) != [None]
        assert found[shard].begin == bench.broker.peek(shard, places[shard], ONE).begin
        assert record == bench.broker.peek(shard, places[shard], ONE).records[0]


def test_each_shard_begins_at_its_own_place(bench):
    one, other = bench.shard(), bench.shard()
    places = bench.publish(one, b"0", b"1", b"2")
    bench.publish(other, b"a", b"b")
    begin = bench.broker.resolve(Earliest(), [other])[other]

    found = bench.broker.firsts({one: places[2].position, other: begin}, SECONDS)

    assert (values(found[one]), values(found[other])) == ([b"2"], [b"a"])


def test_at_the_tip_there_is_nothing_and_that_is_said(bench, filled):
    found = bench.broker.firsts(bench.broker.resolve(Latest(), filled), SECONDS)

    assert {shard: (values(glance), glance.stop) for shard, glance in found.items()} == dict.fromkeys(
        filled, ([], Stop.END)
    )


def test_a_shard_that_is_not_there_is_left_out_and_the_others_are_shown(bench):
    shard = bench.shard()
    [place] = bench.publish(shard, b"there")
    gone = Shard(shard.stream, shard.id, "another incarnation")

    found = bench.broker.firsts({gone: place.position, shard: place.position}, SECONDS)

    assert found.keys() == {shard}
    assert values(found[shard]) == [b"there"]


def test_nothing_is_asked_of_no_shard(bench):
    assert bench.broker.firsts({}, SECONDS) == {}
