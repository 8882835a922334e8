"""When retention is about to pass a checkpoint, as far as anybody can know."""

import pytest

from streamapp.brokers.base import Kept
from streamapp.engine.retention import Standing, danger_of

DAY = 86_400.0


@pytest.mark.parametrize(
    ("age", "kept", "warned"),
    [
        (0.9 * DAY, Kept(seconds=DAY), True),
        (0.7 * DAY, Kept(seconds=DAY), False),
        (None, Kept(seconds=DAY), False),
        (9.0 * DAY, Kept(), False),
        (0.9 * DAY, Kept(first=0, end=100, seconds=DAY), True),
        (0.9 * DAY, Kept(first=0, end=10, seconds=DAY), False),
    ],
)
def test_by_the_age_of_its_record_unless_nothing_is_unread(age, kept, warned):
    assert bool(danger_of(Standing(1, 10, age), kept, 0)) is warned


@pytest.mark.parametrize(
    ("first", "moved", "warned"),
    [(0, 0, False), (5, 4, False), (5, 5, True), (9, 1, True), (9, 0, False), (12, 3, True)],
)
def test_by_how_far_the_log_has_lost_its_beginning(first, moved, warned):
    standing, kept = Standing(1, 10, None), Kept(first=first, end=100)
    assert bool(danger_of(standing, kept, moved)) is warned
