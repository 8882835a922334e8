"""The present moment as Kinesis sees it."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

from streamapp.positions import Moment

SECOND = timedelta(seconds=1)


class Moments:
    """Tells the time, held back when this machine's clock is ahead of the service's.

    A tip that is stored as a moment of the service's future would lose what arrives until then.
    """

    def __init__(self, clock: Callable[[], datetime]) -> None:
        """Take what returns the present moment, aware."""
        self._clock = clock
        self._ahead = timedelta()

    def held_back(self, moment: datetime) -> Moment:
        """Return a moment of this machine's clock, held back as the last compared answer demands."""
        return Moment.of(moment - self._ahead)

    def compare(self, asked: datetime, answer: Mapping[str, Any]) -> None:
        """Compare the moment of a question with the date of its answer, which has whole seconds."""
        date = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("date")
        if date:
            told = parsedate_to_datetime(date).astimezone(UTC)
            self._ahead = asked - told if asked - told > SECOND else timedelta()

    def local(self) -> datetime:
        """Return this machine's time."""
        return self._clock()
