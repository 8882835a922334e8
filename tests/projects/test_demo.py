"""`script/demo` as people and machines use it, without the installation."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.projects.waiting import until

pytestmark = pytest.mark.timeout(180)
CHECKOUT = Path(__file__).resolve().parents[2]
DEMO = [sys.executable, "-m", "demonstration"]
# Makes the terminal its own before it becomes another program, as a shell does.
IN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    """Return variables under which a demonstration meets no other one."""
    path = f"{CHECKOUT / 'script'}:{CHECKOUT}"
    own = {"PYTHONPATH": path, "STREAMAPP_DEMO_STATE": str(tmp_path)}
    # A person's terminal doesn't name the settings of the tests.
    return {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"} | own


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Return both ends of a terminal: the person's and the program's."""
    ends = pty.openpty()
    yield ends
    for end in ends:
        with suppress(OSError):
            os.close(end)


def _check(environment: dict[str, str], *arguments: str) -> tuple[int, dict]:
    command = [*DEMO, "--check", *arguments]
    run = subprocess.run(
        command, cwd=CHECKOUT, env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    return run.returncode, json.loads(run.stdout.splitlines()[-1])


def test_the_check_sees_the_held_record_come_first_and_loses_nothing(environment):
    code, result = _check(environment)
    assert (code, result["ok"], result["problems"]) == (0, True, [])
    assert (result["held"], result["lost"]) == (1, 0)
    assert result["redelivered"] > 1
    assert result["shipments"] == result["booked"] + result["dropped"] + result["held"]
    assert result["published"] == result["shipments"] + result["other_records"]


def test_the_check_notices_that_the_held_record_was_skipped(environment):
    code, result = _check(environment, "--break", "held")
    assert (code, result["ok"]) == (1, False)
    assert "not with the held record" in result["problems"][0]


@pytest.mark.live("kafka", "kinesis", "postgres")
def test_the_check_holds_on_kinesis_kafka_and_postgresql(environment):
    code, result = _check(environment, "--real")
    assert (code, result["ok"], result["problems"]) == (0, True, [])


def test_the_command_that_it_names_shows_the_status_from_any_directory(terminal, environment, tmp_path):
    person, program = terminal
    demo = _start(program, environment)
    banner = _read_until(person, b"Ctrl-C stops everything.").decode().replace("\r\n", "\n")
    command = re.search(r"^Status  (.+)$", banner, re.MULTILINE)[1]
    shown = subprocess.run(
        command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert "shipping.ship" in shown.stdout
    demo.terminate()
    assert demo.wait(40) == 0


@pytest.mark.parametrize("ending", ["Ctrl-C", "SIGTERM", "SIGKILL", "terminal closed"])
def test_nothing_is_left_running(terminal, environment, ending):
    person, program = terminal
    demo = _start(program, environment)
    _read_until(person, b"Ctrl-C stops everything.")
    children = _children(demo.pid)
    assert len(children) == 3

    _end(ending, demo, person)

    # Where the terminal is gone, the interpreter may end with 120: it can't write out what was said last.
    codes = {"SIGKILL": (-signal.SIGKILL,), "terminal closed": (0, 120)}
    assert demo.wait(40) in codes.get(ending, (0,))
    until(lambda: not any(map(_runs, children)), seconds=40)


def _start(terminal: int, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start the demo in a terminal of its own."""
    demo = subprocess.Popen(
        [sys.executable, "-c", IN_TERMINAL, *DEMO],
        cwd=CHECKOUT,
        env=environment,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    return demo


def _end(ending: str, demo: subprocess.Popen[bytes], person: int) -> None:
    match ending:
        case "Ctrl-C":
            os.write(person, b"\x03")
        case "SIGTERM":
            demo.terminate()
        case "SIGKILL":
            demo.kill()
        case "terminal closed":
            os.close(person)


def _read_until(person: int, text: bytes) -> bytes:
    seen = b""
    while text not in seen:
        seen += os.read(person, 4096)
    return seen


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _runs(pid: int) -> bool:
    """Tell whether a process lives; one that is only not yet waited for doesn't."""
    with suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")")[-1].split()[0] != "Z"
    return False
