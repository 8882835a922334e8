"""Values of the ladder: classes of exceptions, limits, and the headers of copies."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from streamapp import Outcome
from streamapp.copies import Copied, as_arrived, made_before
from streamapp.ladder import Limit, Retry, Treatment
from streamapp.registry.ladder import parse_limit

COPIED = Copied(3, "orders/0@7", datetime(2026, 11, 1, tzinfo=UTC), "busy\nå")


@pytest.mark.parametrize(
    ("error", "treatment"),
    [
        (ConnectionResetError(), Treatment.RETRYABLE),
        (ConnectionError(), Treatment.FATAL),
        (OSError(), Treatment.IGNORED),
        (TimeoutError(), Treatment.IGNORED),
        (KeyError(), Treatment.FATAL),
    ],
)
def test_the_listed_class_nearest_to_an_exception_decides(error, treatment):
    retry = Retry(3, 1, 2, (ConnectionResetError,), fatal=(ConnectionError,), ignored=(OSError,))
    assert retry.treatment(error) is treatment


def test_without_retryable_classes_all_unlisted_ones_are_retryable():
    assert Retry(3, 1, 2, fatal=(ValueError,)).treatment(KeyError()) is Treatment.RETRYABLE


@pytest.mark.parametrize(
    ("given", "limit", "text"),
    [
        (20, Limit(20, 20), "20 records in a row"),
        ("30% of 100", Limit(30, 100), "30 of the last 100 records"),
        ("1 % of 10", Limit(1, 10), "1 of the last 10 records"),
    ],
)
def test_a_limit_is_a_number_in_a_row_or_a_share(given, limit, text):
    assert (parse_limit(given), str(parse_limit(given))) == (limit, text)


def test_the_headers_of_a_copy_say_what_it_is():
    """In one line: more is no header on Kinesis."""
    assert Copied.read(COPIED.headers()) == replace(COPIED, reason="busy å")
    assert made_before(COPIED.headers()) == 2


@pytest.mark.parametrize(
    "damage",
    [
        {"streamapp-attempt": b"x"},
        {"streamapp-attempt": b"0"},
        {"streamapp-first-failure": b"yesterday"},
        {"streamapp-first-failure": b"2026-11-01T00:00:00"},
        {"streamapp-first-failure": b"0001-01-01T00:00:00+14:00"},
        {"streamapp-first-failure": b"9999-12-31T23:59:59-14:00"},
        {"streamapp-attempt": b"2147483647"},
        {"streamapp-copies": b"2147483647"},
        {"streamapp-copies": b"-1"},
    ],
)
def test_headers_that_are_not_ours_make_no_copy(damage):
    assert Copied.read({**COPIED.headers(), **damage}) is None
    assert made_before({**COPIED.headers(), **damage}) == 0
    assert made_before({}) == 0


def test_the_headers_that_a_record_arrived_with_are_kept_apart():
    assert as_arrived({**COPIED.headers(), "by": b"me"}) == {"by": b"me"}


@pytest.mark.parametrize("delay", [-1, float("nan"), float("inf")])
def test_a_delay_is_a_number_of_seconds(delay):
    with pytest.raises(ValueError, match="Give 0 or more"):
        Outcome.retry_after(delay)
