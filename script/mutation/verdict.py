"""What became of each guard, found out by running its test without it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

from mutation.guard import Guard
from mutation.running import Ended, is_up, run
from mutation.scratch import Gone, Scratch

KILLED = "killed"
SURVIVED = "SURVIVED"
GONE = "the text is gone"
BROKEN = "BROKEN: the test can't run without it"
NOT_UP = "not run: {} is not up"
NOT_PASSED = "the test doesn't pass with it"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A guard, and what its test said without it."""

    guard: Guard
    result: str
    seconds: float = 0.0
    output: str = ""

    @property
    def is_killed(self) -> bool:
        """Tell whether the test noticed."""
        return self.result == KILLED


def judge(guard: Guard, scratch: Scratch) -> Verdict:
    """Take a guard out of a copy, run its test there, and put the guard back."""
    begin = time.monotonic()
    try:
        with scratch.without(guard):
            ended = run(scratch.directory, [guard.test], guard.needs, "-x")
    except Gone as error:
        return Verdict(guard, GONE, output=str(error))
    return Verdict(guard, _result(ended), time.monotonic() - begin, ended.output)


def _result(ended: Ended) -> str:
    if ended.code is None or (ended.code == 1 and "FAILED" in ended.outcomes.values()):
        return KILLED
    return SURVIVED if ended.code == 0 else BROKEN


def unfit(guards: list[Guard], scratch: Scratch) -> Mapping[str, Verdict]:
    """Run all tests once with all guards; return what can't be judged, by the name of the guard."""
    verdicts: dict[str, Verdict] = {}
    for needs in sorted({guard.needs for guard in guards}):
        some = [guard for guard in guards if guard.needs == needs]
        if is_up(needs):
            ended = run(scratch.directory, sorted({guard.test for guard in some}), needs, "-n", "2")
            failing = [guard for guard in some if not _passes(guard.test, ended.outcomes)]
            verdicts |= {guard.name: Verdict(guard, NOT_PASSED, output=ended.output) for guard in failing}
        else:
            verdicts |= {guard.name: Verdict(guard, NOT_UP.format(needs)) for guard in some}
    return verdicts


def _passes(test: str, outcomes: Mapping[str, str]) -> bool:
    own = [outcome for name, outcome in outcomes.items() if name == test or name.startswith(f"{test}[")]
    return bool(own) and set(own) == {"PASSED"}
