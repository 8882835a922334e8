"""The clock of a service under test."""


class Clock:
    """A monotonic clock that stands still until it is moved, so that no back-off is really waited for."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        """Return the seconds since the test began, as far as the clock was moved."""
        return self._now

    def move_to(self, moment: float) -> None:
        """Move forwards; a moment that has passed changes nothing."""
        self._now = max(self._now, moment)
