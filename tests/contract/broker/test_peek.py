"""A look at records disturbs nobody, brings no more than was asked for, and says why it ended."""

import pytest

from streamapp.brokers.base import Broker
from streamapp.brokers.looking import Limits, Peeked, Stop
from streamapp.exceptions import InvalidPosition
from streamapp.positions import Earliest, Latest
from streamapp.records import Shard

FEW = Limits(records=3, size=1024 * 1024, seconds=20)
MANY = Limits(records=50, size=1024 * 1024, seconds=20)


def values(peeked: Peeked) -> list[bytes | None]:
    return [record.value for record in peeked.records]


def first(broker: Broker, shard: Shard) -> int:
    return broker.resolve(Earliest(), [shard])[shard]


def test_a_look_brings_what_a_reader_is_given_with_key_headers_and_time(bench, readings):
    shard = bench.shard()
    bench.broker.publish(shard.stream, b"\x00\xff", key=b"key", headers={"trace": b"1"})
    bench.publish(shard, b"two")

    reading = readings.of(shard.stream)
    reading.reader.open({shard: first(bench.broker, shard)})
    read = reading.take(2)

    assert list(bench.broker.peek(shard, read[0].position, FEW).records) == read


def test_a_look_begins_at_exactly_the_record_that_is_named(bench):
    shard = bench.shard()
    places = bench.publish(shard, b"0", b"1", b"2", b"3")

    peeked = bench.broker.peek(shard, places[2].position, FEW)

    assert (values(peeked), peeked.begin, peeked.stop) == ([b"2", b"3"], places[2].position, Stop.END)


def test_a_look_goes_on_where_the_one_before_it_ended(bench):
    shard = bench.shard()
    bench.publish(shard, *[str(number).encode() for number in range(7)])

    looks, place = [], first(bench.broker, shard)
    while not looks or looks[-1].stop is not Stop.END:
        looks.append(bench.broker.peek(shard, place, FEW))
        place = looks[-1].next

    assert [value for look in looks for value in values(look)] == [b"%d" % number for number in range(7)]
    assert looks[0].stop is Stop.RECORDS
    assert max(len(look.records) for look in looks) == 3


def test_the_record_that_reaches_the_bytes_is_the_last(bench):
    shard = bench.shard()
    bench.publish(shard, *[b"x" * 1000] * 5)

    peeked = bench.broker.peek(shard, first(bench.broker, shard), Limits(50, 2500, 20))

    assert (len(peeked.records), peeked.stop) == (3, Stop.BYTES)


def test_at_the_tip_there_is_nothing_and_later_what_was_published_since(bench):
    shard = bench.shard()
    bench.publish(shard, b"before")
    tip = bench.broker.resolve(Latest(), [shard])[shard]

    empty = bench.broker.peek(shard, tip, FEW)
    assert (values(empty), empty.stop) == ([], Stop.END)

    bench.publish(shard, b"after")
    assert values(bench.broker.peek(shard, empty.next, FEW)) == [b"after"]


def test_an_empty_shard_has_nothing_to_show(bench):
    shard = bench.shard()

    peeked = bench.broker.peek(shard, first(bench.broker, shard), FEW)

    assert (peeked.records, peeked.stop) == ((), Stop.END)


def test_a_look_takes_nothing_from_a_reader_and_moves_it_nowhere(bench, readings):
    shard = bench.shard()
    places = bench.publish(shard, b"0", b"1", b"2", b"3")
    reading = readings.of(shard.stream, limit=1)
    reading.reader.open({shard: places[0].position})
    assert reading.values(1) == [b"0"]

    assert values(bench.broker.peek(shard, places[3].position, FEW)) == [b"3"]
    assert values(bench.broker.peek(shard, places[0].position, FEW)) == [b"0", b"1", b"2"]

    assert reading.values(3) == [b"1", b"2", b"3"]


def test_a_place_that_was_trimmed_begins_at_the_oldest_record_kept(bench):
    shard = bench.shard()
    places = bench.publish(shard, b"0", b"1", b"2")
    bench.trim(shard, 2)

    peeked = bench.broker.peek(shard, places[0].position, FEW)

    assert (values(peeked), peeked.begin) == ([b"2"], 2)


def test_a_shard_of_a_stream_that_was_made_again_is_not_mistaken_for_the_new_one(bench):
    old = bench.shard()
    bench.publish(old, b"old")
    bench.delete(old.stream)
    bench.remake(old.stream)
    (new,) = bench.shards(old.stream)
    bench.publish(new, b"new")

    with pytest.raises(InvalidPosition, match="isn't there any more"):
        bench.broker.peek(old, first(bench.broker, new), FEW)
    assert values(bench.broker.peek(new, first(bench.broker, new), FEW)) == [b"new"]


def test_a_place_is_read_back_from_what_is_shown_of_it(bench):
    shard = bench.shard()
    places = bench.publish(shard, b"0", b"1")
    peeked = bench.broker.peek(shard, places[0].position, FEW)

    for position in (places[0].position, places[1].position, peeked.next, first(bench.broker, shard)):
        assert bench.broker.read(bench.broker.describe(position)) == position


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "orders/0@3", "²", "9" * 5000])
def test_what_is_no_place_is_refused(bench, text):
    with pytest.raises(InvalidPosition):
        bench.broker.read(text)


def test_a_place_behind_the_end_of_a_log_that_counts_is_its_end(bench):
    shard = bench.shard()
    (place,) = bench.publish(shard, b"0")
    if bench.broker.records_between(0, 1) is None:
        pytest.skip("Kinesis can't tell a later place from one that is there")

    peeked = bench.broker.peek(shard, bench.beyond(place.position), FEW)

    assert (values(peeked), peeked.begin, peeked.stop) == ([], place.position + 1, Stop.END)
