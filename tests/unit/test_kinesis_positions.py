"""Positions of Kinesis as numbers: their order is the order of reading, and they fit the column."""

from hypothesis import given
from hypothesis import strategies as st

from streamapp import KinesisPosition
from streamapp.brokers.kinesis import packing
from streamapp.brokers.kinesis.iterators import beginning
from streamapp.brokers.kinesis.resolving import position_problem
from streamapp.models.fields import decode_position, encode_position
from streamapp.positions import SHARD_END, Moment, parse

sequences = st.one_of(st.integers(0, 10**6), st.integers(10**55, 10**56), st.integers(10**128, 10**129 - 1))
parts = st.integers(0, 10**6)
places = st.tuples(sequences, parts, st.booleans())
milliseconds = st.integers(0, 10**14)


def number(place: tuple[int, int, bool]) -> int:
    sequence, part, is_after = place
    position = packing.at(sequence, part)
    return packing.after(position) if is_after else position


@given(places, places)
def test_numbers_are_in_the_order_of_reading(one, other):
    assert (number(one) < number(other)) == (one < other)


@given(milliseconds, milliseconds, places)
def test_moments_are_in_order_and_before_every_record_and_the_end_is_last(one, other, place):
    assert (packing.moment(one) < packing.moment(other)) == (one < other)
    assert packing.HORIZON <= packing.moment(one) < number(place) < SHARD_END


@given(places)
def test_a_number_says_what_it_was_made_of(place):
    assert packing.unpack(number(place)) == packing.Place(*place)


@given(milliseconds.filter(bool))
def test_a_moment_is_read_back(moment):
    assert packing.unpack(packing.moment(moment)) == Moment(moment)


@given(places)
def test_every_number_can_be_stored(place):
    for position in (number(place), SHARD_END):
        assert decode_position(encode_position(position)) == position
        assert len(encode_position(position)) <= 153


@given(sequences)
def test_a_bare_sequence_number_is_never_taken_for_a_packed_one(sequence):
    assert not packing.is_packed(sequence)
    assert packing.is_packed(packing.at(sequence))


def test_positions_are_written_for_people():
    record = packing.at(4963, 2)
    written = [
        packing.HORIZON,
        1767225600000,
        packing.at(4963),
        packing.after(packing.at(4963)),
        record,
        SHARD_END,
    ]

    assert [packing.describe(position) for position in written] == [
        "horizon",
        "2026-01-01T00:00:00.000Z",
        "4963",
        "after 4963",
        "4963/2",
        "SHARD_END",
    ]


def test_each_kind_of_place_is_told_to_the_service_as_it_wants_it():
    at, moment = packing.at(4963, 2), packing.moment(1500)

    assert beginning(packing.HORIZON) == {"ShardIteratorType": "TRIM_HORIZON"}
    assert beginning(moment) == {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": 1.5}
    assert beginning(at) == {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "StartingSequenceNumber": "4963"}
    assert beginning(packing.after(at)) == {
        "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
        "StartingSequenceNumber": "4963",
    }


def test_the_positions_of_a_handler_have_the_text_forms_of_settings():
    assert str(KinesisPosition.horizon()) == "earliest"
    assert str(KinesisPosition.latest()) == "latest"
    assert str(KinesisPosition.timestamp(0)) == "1970-01-01T00:00:00.000Z"
    assert parse("shardId-000000000001@4963") == KinesisPosition.sequence("shardId-000000000001", 4963)


def test_what_names_no_record_of_kinesis_is_refused():
    assert position_problem(parse("shardId-000000000001@4963")) is None
    assert "shardId-000000000000@" in position_problem(parse("3@1200"))
    assert "129 digits" in position_problem(KinesisPosition.sequence("shardId-000000000001", 10**130))
