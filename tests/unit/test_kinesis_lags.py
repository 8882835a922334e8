"""What a feed knows of its lag: the last answer, and the age of what waits for a slow handler."""

from datetime import UTC, datetime, timedelta

from streamapp.brokers.kinesis import packing
from streamapp.brokers.reading import Behind
from tests.unit.test_kinesis_feed import script, stored  # noqa: F401 - `script` is a fixture

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


def arrived(sequence, seconds_ago):
    return {**stored(sequence, b"{}"), "ApproximateArrivalTimestamp": NOW - timedelta(seconds=seconds_ago)}


def test_nothing_is_known_before_the_first_answer(script):  # noqa: F811
    assert script.feed(packing.HORIZON).behind(NOW) is None


def test_behind_the_tip_it_is_what_the_service_says(script):  # noqa: F811
    script.opens("TRIM_HORIZON")
    script.answers(behind=61_000)
    feed = script.feed(packing.HORIZON)
    feed.run_once()
    assert feed.behind(NOW) == Behind(None, 61_000)


def test_at_the_tip_the_records_that_wait_are_counted_and_as_late_as_the_first_of_them(script):  # noqa: F811
    script.opens("TRIM_HORIZON")
    script.answers(arrived(1, 9), arrived(2, 4))
    feed = script.feed(packing.HORIZON)
    feed.run_once()
    assert feed.behind(NOW) == Behind(2, 9000)
    feed.shelf.take(1)
    assert feed.behind(NOW) == Behind(1, 4000)
    feed.shelf.take(1)
    assert feed.behind(NOW) == Behind(0, 0)


def test_while_no_answer_comes_nothing_is_known(script):  # noqa: F811
    script.opens("TRIM_HORIZON")
    script.answers()
    script.refuses("ProvisionedThroughputExceededException")
    script.answers(to="next")
    feed = script.feed(packing.HORIZON)
    feed.run_once()
    assert feed.behind(NOW) == Behind(0, 0)
    feed.run_once()
    assert feed.behind(NOW) is None
    feed.run_once()
    assert feed.behind(NOW) == Behind(0, 0)
