"""A reader delivers of open shards only, from exactly the position given."""

from streamapp.brokers.reading import OutOfRange
from streamapp.records import Shard


def two_shards(bench) -> tuple[str, dict[Shard, bytes]]:
    """A stream of two shards, with a key that leads to each; each holds at least the record "old"."""
    stream = bench.stream(partitions=2)
    keys: dict[Shard, bytes] = {}
    for number in range(16):
        key = str(number).encode()
        keys[bench.broker.publish(stream, b"old", key=key).shard] = key
    return stream, keys


def test_nothing_comes_of_a_shard_that_was_not_opened(bench, readings):
    stream, keys = two_shards(bench)
    opened, silent = keys

    reading = readings.of(stream)
    assert not reading.poll().chunks
    reading.reader.open({opened: 0})
    bench.broker.publish(stream, b"to the silent shard", key=keys[silent])
    end = bench.broker.publish(stream, b"last", key=keys[opened]).position + 1
    reading.expect_end(opened, end)

    assert {record.shard for record in reading.records} == {opened}
    assert reading.records[-1].value == b"last"
    assert silent not in reading.ends


def test_a_shard_opened_in_the_middle_brings_no_earlier_record(bench, readings):
    shard = bench.shard()
    places = bench.publish(shard, b"0", b"1", b"2", b"3")

    reading = readings.of(shard.stream)
    reading.reader.open({shard: places[2].position})

    assert reading.values(2) == [b"2", b"3"]


def test_a_shard_opened_at_its_end_brings_what_is_published_afterwards(bench, readings):
    shard = bench.shard()
    (before,) = bench.publish(shard, b"before")

    reading = readings.of(shard.stream)
    reading.reader.open({shard: before.position + 1})
    reading.expect_end(shard, before.position + 1)
    bench.publish(shard, b"after")

    assert reading.values(1) == [b"after"]


def test_a_paused_shard_is_silent_and_loses_nothing(bench, readings):
    stream, keys = two_shards(bench)
    paused, other = keys
    ends = {shard: bounds.end for shard, bounds in bench.broker.bounds(list(keys)).items()}

    reading = readings.of(stream)
    reading.reader.open(ends)
    reading.reader.pause([paused])
    bench.broker.publish(stream, b"one", key=keys[paused])
    bench.broker.publish(stream, b"elsewhere", key=keys[other])
    assert reading.values(1) == [b"elsewhere"]

    bench.broker.publish(stream, b"two", key=keys[paused])
    reading.reader.resume([paused])
    assert reading.values(2) == [b"one", b"two"]


def test_a_pause_in_the_middle_goes_on_behind_the_last_record_delivered(bench, readings):
    shard = bench.shard()
    bench.publish(shard, *[str(number).encode() for number in range(10)])

    reading = readings.of(shard.stream, limit=3)
    reading.reader.open({shard: 0})
    first = reading.values(1)
    reading.reader.pause([shard])
    assert not reading.poll().chunks
    reading.reader.resume([shard])

    assert first + reading.values(10 - len(first)) == [str(number).encode() for number in range(10)]


def test_opening_a_paused_shard_resumes_it(bench, readings):
    shard = bench.shard()
    _, second = bench.publish(shard, b"0", b"1")

    reading = readings.of(shard.stream)
    reading.reader.open({shard: 0})
    reading.reader.pause([shard])
    reading.reader.open({shard: second.position})

    assert reading.values(1) == [b"1"]


def test_a_shard_that_is_being_read_can_be_opened_further_back_and_further_on(bench, readings):
    shard = bench.shard()
    values = [str(number).encode() for number in range(10)]
    places = [place.position for place in bench.publish(shard, *values)]

    reading = readings.of(shard.stream, limit=2)
    reading.reader.open({shard: places[4]})
    assert reading.values(2)[:2] == [b"4", b"5"]

    reading.reader.open({shard: places[1]})
    assert reading.values(9) == values[1:]

    reading.reader.open({shard: 0})
    reading.values(1)
    reading.reader.open({shard: places[8]})
    assert reading.values(2) == values[8:]


def test_nothing_comes_of_a_shard_that_was_closed(bench, readings):
    stream, keys = two_shards(bench)
    closed, other = keys
    unknown = Shard("nowhere", "0")

    reading = readings.of(stream)
    reading.reader.open(dict.fromkeys(keys, 0))
    reading.reader.close_shards([closed, unknown])
    bench.broker.publish(stream, b"to the closed shard", key=keys[closed])
    reading.expect_end(other, bench.broker.publish(stream, b"last", key=keys[other]).position + 1)

    assert {record.shard for record in reading.records} == {other}

    reading.records.clear()
    last = bench.broker.publish(stream, b"last", key=keys[closed])
    reading.reader.open({closed: 0})
    reading.expect_end(closed, last.position + 1)
    assert [record.value for record in reading.records][-2:] == [b"to the closed shard", b"last"]


def test_the_end_of_a_log_is_reported_behind_its_last_record(bench, readings):
    shard = bench.shard()
    places = bench.publish(shard, b"0", b"1", b"2")

    reading = readings.of(shard.stream)
    reading.reader.open({shard: 0})
    reading.expect_end(shard, places[-1].position + 1)

    assert len(reading.records) == 3


def test_the_end_of_an_empty_log_is_reported_too(bench, readings):
    shard = bench.shard()

    reading = readings.of(shard.stream)
    reading.reader.open({shard: 0})

    reading.expect_end(shard, 0)


def test_a_shard_whose_place_was_trimmed_says_so_and_stands_still_until_it_is_opened(bench, readings):
    shard = bench.shard()
    bench.publish(shard, b"0", b"1", b"2")
    bench.trim(shard, 2)

    reading = readings.of(shard.stream)
    reading.reader.open({shard: 1})
    assert reading.event() == OutOfRange(shard, 1)

    reading.reader.resume([shard])
    assert reading.poll() and (reading.records, reading.events) == ([], [])

    reading.reader.open({shard: 2})
    assert reading.values(1) == [b"2"]


def test_a_place_behind_the_end_is_out_of_range(bench, readings):
    shard = bench.shard()
    (place,) = bench.publish(shard, b"0")
    beyond = bench.beyond(place.position)

    reading = readings.of(shard.stream)
    reading.reader.open({shard: beyond})

    assert reading.event() == OutOfRange(shard, beyond)


def test_two_readers_of_one_shard_do_not_disturb_each_other(bench, readings):
    shard = bench.shard()
    places = bench.publish(shard, b"0", b"1", b"2")

    first, second = readings.of(shard.stream), readings.of(shard.stream)
    first.reader.open({shard: 0})
    second.reader.open({shard: places[2].position})
    assert second.values(1) == [b"2"]
    second.reader.close_shards([shard])

    assert first.values(3) == [b"0", b"1", b"2"]


def test_keeping_alive_and_mirroring_lose_no_record(bench, readings):
    shard = bench.shard()
    _, second = bench.publish(shard, b"0", b"1")

    reading = readings.of(shard.stream, limit=1)
    reading.reader.open({shard: 0})
    assert reading.values(1) == [b"0"]
    for _ in range(3):
        reading.reader.keep_alive()
    reading.reader.mirror({shard: second.position})

    assert reading.values(1) == [b"1"]
