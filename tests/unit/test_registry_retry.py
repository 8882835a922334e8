"""Retry policies as people write them."""

from typing import Any

import pytest

from streamapp.mount import Retry
from streamapp.registry.retry import parse_duration, parse_retry


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("200ms", 0.2), ("0.2s", 0.2), ("30s", 30.0), ("1m", 60.0), ("2h", 7200.0), (" 5s ", 5.0)],
)
def test_durations_have_a_unit(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "-1s", "0s", "1 s", "1d", "s", "1.s", "1e3s", "٣s"])
def test_anything_else_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration like 200ms"):
        parse_duration(text)


def test_a_policy_waits_twice_as_long_each_time_up_to_the_longest() -> None:
    retry = parse_retry({"attempts": 5, "backoff": "0.2s..1s"})
    assert retry == Retry(5, 0.2, 1.0)
    assert [retry.delay(attempt) for attempt in (1, 2, 3, 4, 1000)] == [0.2, 0.4, 0.8, 1.0, 1.0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (5, "5 is not a dict with attempts and backoff"),
        ({}, "{} lacks attempts and backoff"),
        ({"attempts": 5}, "{'attempts': 5} lacks backoff"),
        ({"attempts": 5, "backof": "1s..2s"}, "Did you mean 'backoff'"),
        ({"attempts": 5, "backoff": "1s..2s", "backof": 1}, "Did you mean 'backoff'"),
        ({"attempts": 0, "backoff": "1s..2s"}, "attempts is 0"),
        ({"attempts": True, "backoff": "1s..2s"}, "attempts is True"),
        ({"attempts": "5", "backoff": "1s..2s"}, "attempts is '5'"),
        ({"attempts": 5, "backoff": "1s"}, "backoff is '1s'"),
        ({"attempts": 5, "backoff": 1}, "backoff is 1"),
        ({"attempts": 5, "backoff": "1..2"}, "'1' is not a duration"),
        ({"attempts": 5, "backoff": "3s..2s"}, "longer than the longest"),
    ],
)
def test_a_wrong_policy_says_what_is_wrong(given: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        parse_retry(given)
