"""Being asked to stop, and waiting with that in mind."""

import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

STEP_SECONDS = 0.1


class Stopped(Exception):
    """Somebody asked us to stop."""


class Failed(Exception):
    """The demonstration can't go on; the text says why."""


class Stop:
    """Whether Ctrl-C, SIGTERM or the end of the terminal has asked us to stop; said once is enough."""

    def __init__(self) -> None:
        self._asked = False

    def listen(self) -> None:
        """Take the signals from now on. They only leave a note, so that nothing is interrupted halfway."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: setattr(self, "_asked", True))

    def pause(self) -> None:
        """Wait a moment. Raises Stopped if we were asked to stop."""
        if self._asked:
            raise Stopped("asked to stop")
        time.sleep(STEP_SECONDS)

    def until(self, condition: Callable[[], bool], seconds: float, what: str) -> None:
        """Wait until something is true. Raises Failed when it isn't in time, and Stopped."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise Failed(f"Not within {seconds:.0f} seconds: {what}.")
            self.pause()


def say(text: str) -> None:
    """Tell a person how far we are; standard output is for results."""
    _write(text, sys.stderr)


def show(text: str) -> None:
    """Print a result for a person."""
    _write(text, sys.stdout)


def _write(text: str, stream: TextIO) -> None:
    # The terminal may be gone: then nobody listens, and what runs must still be stopped.
    with suppress(OSError):
        print(text, file=stream, flush=True)
