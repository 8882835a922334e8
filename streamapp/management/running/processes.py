"""Several consumer processes under one parent that only watches."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from types import FrameType

from streamapp.management.running import codes

PARENT_PIPE = "STREAMAPP_PARENT_PIPE"
NUMBER = "STREAMAPP_PROCESS_NUMBER"
LOOK_SECONDS = 0.2


class Processes:
    """Starts n children of the same command and ends when one of them has ended.

    A child notices the death of its parent, however sudden, by the end of a pipe.
    """

    def __init__(self, command: list[str], count: int) -> None:
        self._command = command
        self._count = count
        self._children: list[subprocess.Popen[bytes]] = []
        self._asked = False

    def run(self) -> int:
        """Run to the end of all children; returns 0, or the first other code of a child."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        reading, writing = os.pipe()
        for child in range(self._count):
            environment = {**os.environ, PARENT_PIPE: str(reading), NUMBER: str(child)}
            self._children.append(subprocess.Popen(self._command, env=environment, pass_fds=[reading]))
        os.close(reading)
        code = self._watch()
        os.close(writing)
        return code

    def _watch(self) -> int:
        """Wait for the children; the unexpected end of one ends all, so that a supervisor starts afresh."""
        failed = codes.OK
        while alive := [child for child in self._children if child.poll() is None]:
            with suppress(subprocess.TimeoutExpired):
                alive[0].wait(timeout=LOOK_SECONDS)
            ended = [child.returncode for child in self._children if child.poll() is not None]
            failed = failed or next((_code(returned) for returned in ended if returned), codes.OK)
            if failed and not self._asked:
                self._asked = True
                self._signal(signal.SIGTERM)
        return failed

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._asked = True
        self._signal(number)

    def _signal(self, number: int) -> None:
        for child in self._children:
            if child.poll() is None:
                child.send_signal(number)


def _code(returned: int) -> int:
    return returned if returned > 0 else codes.DIED


def follow_parent() -> None:
    """In a child: stop cleanly when the parent is gone."""
    if descriptor := os.environ.pop(PARENT_PIPE, ""):
        threading.Thread(target=_await_end, args=(int(descriptor),), daemon=True).start()


def _await_end(descriptor: int) -> None:
    os.read(descriptor, 1)
    os.kill(os.getpid(), signal.SIGTERM)


def this_command(*, without: str) -> list[str]:
    """Return the command line of this process without one option and its value.

    As it was given to the interpreter: `python -m django` must not become the path of a file.
    """
    arguments = sys.orig_argv[1:]
    for place, argument in reversed(list(enumerate(arguments))):
        if argument == without:
            del arguments[place : place + 2]
        elif argument.startswith(f"{without}="):
            del arguments[place]
    return [sys.executable, *arguments]
