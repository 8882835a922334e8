"""Positions as people write them."""

import re
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamapp import KafkaPosition
from streamapp.exceptions import InvalidPosition
from streamapp.positions import Ago, At, Earliest, Latest, Moment, Position, parse

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)
names = st.text(st.characters(categories=["L", "Nd", "Pd"], include_characters="._"), min_size=1, max_size=30)
moments = st.datetimes(datetime(1970, 1, 1), datetime(9998, 12, 31), timezones=st.just(UTC))
positions: st.SearchStrategy[Position] = st.one_of(
    st.just(Earliest()),
    st.just(Latest()),
    st.builds(At, names, st.integers(0, 10**60), st.none() | names),
    moments.map(Moment.of),
    st.integers(1, 10**7).map(Ago),
)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("earliest", Earliest()),
        ("latest", Latest()),
        (" latest ", Latest()),
        ("3@1200", At("3", 1200)),
        ("orders/3@1200", At("3", 1200, "orders")),
        ("orders.eu-1/0@0", At("0", 0, "orders.eu-1")),
        ("shardId-000000000001@49637862836458396583846", At("shardId-000000000001", 49637862836458396583846)),
        ("2026-01-01T00:00:00Z", Moment(1767225600000)),
        ("2026-01-01T01:00:00+01:00", Moment(1767225600000)),
        ("2026-01-01T00:00:00.123Z", Moment(1767225600123)),
        ("-7d", Ago(7 * 86_400)),
        ("-90m", Ago(5400)),
        ("-1s", Ago(1)),
    ],
)
def test_a_text_names_a_position(text: str, position: Position) -> None:
    assert parse(text) == position


@given(positions)
def test_a_position_is_read_back_from_its_text(position: Position) -> None:
    assert parse(str(position)) == position


@pytest.mark.parametrize(
    "text",
    [
        "",
        "first",
        "7d",
        "-7w",
        "-7",
        "3@",
        "@3",
        "3@-1",
        "a/b/3@1",
        "3 @1",
        "2026-01-01T00:00:00",
        "2026-13-01",
    ],
)
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(InvalidPosition):
        parse(text)


@given(st.text())
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        assert parse(str(parse(text))) == parse(text)
    except InvalidPosition as refused:
        assert str(refused)


def test_what_is_no_position_is_told_the_forms() -> None:
    with pytest.raises(
        InvalidPosition, match=r"'first' is not a position\. Write one of: earliest, latest, 3@1200"
    ):
        parse("first")


def test_a_moment_without_a_time_zone_is_told_so() -> None:
    with pytest.raises(InvalidPosition, match="no time zone"):
        KafkaPosition.timestamp(datetime(2026, 1, 1))


@pytest.mark.parametrize("text", ["2026-11-01", "2026-11-01T00:00:00"])
def test_a_text_without_a_time_zone_is_told_texts_that_can_be_read(text: str) -> None:
    with pytest.raises(InvalidPosition, match="no time zone") as refused:
        parse(text)
    advised = re.findall(r"2026-11-01T00:00:00[Z+:0-9]+", str(refused.value))
    assert [str(parse(one)) for one in advised] == ["2026-11-01T00:00:00.000Z", "2026-10-31T23:00:00.000Z"]


def test_a_moment_is_the_same_in_every_zone_and_as_milliseconds() -> None:
    there = NEW_YEAR.astimezone(timezone(timedelta(hours=5, minutes=30)))
    assert KafkaPosition.timestamp(NEW_YEAR) == KafkaPosition.timestamp(there)
    assert KafkaPosition.timestamp(1767225600000) == KafkaPosition.timestamp(NEW_YEAR)
    assert str(KafkaPosition.timestamp(NEW_YEAR)) == "2026-01-01T00:00:00.000Z"


def test_a_moment_between_two_milliseconds_leaves_out_no_record_of_the_first() -> None:
    assert KafkaPosition.timestamp(NEW_YEAR + timedelta(microseconds=999)) == Moment(1767225600000)


def test_so_long_ago_is_counted_from_the_moment_of_resolving() -> None:
    assert Ago(60).moment(NEW_YEAR) == Moment(1767225600000 - 60_000)


@pytest.mark.parametrize("text", ["0@" + "9" * 5000, "-" + "9" * 5000 + "d"])
def test_numbers_without_an_end_are_no_positions(text: str) -> None:
    with pytest.raises(InvalidPosition):
        parse(text)


@pytest.mark.parametrize("text", ["-999999d", "-999999999999d"])
def test_a_duration_that_no_calendar_has_is_no_position(text: str) -> None:
    with pytest.raises(InvalidPosition, match="before the year 1"):
        parse(text).moment(NEW_YEAR)


def test_kafka_positions_are_the_written_ones() -> None:
    assert KafkaPosition.earliest() == parse("earliest")
    assert KafkaPosition.latest() == parse("latest")
    assert KafkaPosition.offset(3, 1200) == parse("3@1200")
    assert KafkaPosition.topic_offset("orders", 3, 1200) == parse("orders/3@1200")
