"""One measured run: what a child process is told, and what it says in the end."""

import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from typing import Any

VARIABLE = "STREAMAPP_BENCHMARK"
PATIENCE_SECONDS = 900
BARE = "bare"


@dataclass(frozen=True, slots=True)
class Run:
    """A side with what it reads. `records` are handled in each pass; a new pass seeks to the start."""

    side: str
    name: str
    stream: str
    records: int
    passes: int = 1

    @classmethod
    def current(cls) -> "Run":
        """Return the run of this process; outside of one, a run that reads nothing."""
        if VARIABLE not in os.environ:
            return cls(BARE, "none", "none", 0)
        return cls(**json.loads(os.environ[VARIABLE]))


@dataclass(frozen=True, slots=True)
class Moment:
    """A look at the process after so many records.

    `seconds` are of the monotonic clock, `processor_seconds` as the side counts them.
    """

    records: int
    seconds: float
    processor_seconds: float
    resident_mb: float


@dataclass(frozen=True, slots=True)
class Result:
    """What a run noted. `updates` are the moments at which checkpoint rows were written, a row each.

    The last hundredth of the records is not timed: there both sides wait for a batch to be full that
    nothing fills any more.
    """

    moments: list[Moment]
    updates: list[float]

    @property
    def rate(self) -> float:
        """Return the records a second, from the first moment noted on."""
        first, last = self.moments[0], self.moments[-2]
        return (last.records - first.records) / (last.seconds - first.seconds)

    @property
    def processor_rate(self) -> float:
        """Return the records a processor second: a busy machine disturbs it less."""
        first, last = self.moments[0], self.moments[-2]
        return (last.records - first.records) / (last.processor_seconds - first.processor_seconds)

    @property
    def memory(self) -> list[float]:
        """Return the resident megabytes after each pass."""
        return [moment.resident_mb for moment in (*self.moments[1:-2], self.moments[-1])]

    def say(self) -> None:
        """Print the result as the last line, for the process that measures."""
        print(json.dumps(asdict(self)), flush=True)


def measure(run: Run, module: str) -> Result:
    """Do a run in a process of its own and return its result; raises RuntimeError with what it wrote."""
    said = answer(run, module)
    return Result([Moment(**moment) for moment in said["moments"]], list(said["updates"]))


def answer(run: Run, module: str) -> dict[str, Any]:
    """Run a module in a process of its own and return the object on its last line.

    Raises RuntimeError with what it wrote when it fails.
    """
    done = subprocess.run(
        [sys.executable, "-m", module],
        env={**os.environ, VARIABLE: json.dumps(asdict(run))},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"The side {run.side!r} ended with {done.returncode}:\n{done.stderr}")
    answered: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answered
