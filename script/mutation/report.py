"""Showing guards and verdicts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from mutation.guard import Guard
from mutation.verdict import Verdict

TAIL_LINES = 30


def show_guards(guards: Sequence[Guard], as_json: bool) -> None:
    """Print the catalogue."""
    if as_json:
        print(json.dumps([asdict(guard) for guard in guards], indent=2))
        return
    for guard in guards:
        print(f"{guard.name}\n    {guard.promise}\n    streamapp/{guard.file}\n    tests/{guard.test}")


def show_verdict(verdict: Verdict) -> None:
    """Print one line, and what the test said where that helps."""
    guard = verdict.guard
    print(f"{guard.name:<32} {verdict.result:<18} {verdict.seconds:5.1f} s  {guard.test}", flush=True)
    if not verdict.is_killed and verdict.output:
        print("".join(f"    | {line}\n" for line in verdict.output.splitlines()[-TAIL_LINES:]), flush=True)


def show_sum(verdicts: Sequence[Verdict], seconds: float) -> None:
    """Print how many were killed."""
    killed = sum(verdict.is_killed for verdict in verdicts)
    print(f"\n{killed} of {len(verdicts)} killed, {seconds:.0f} s")


def show_json(verdicts: Sequence[Verdict]) -> None:
    """Print all verdicts as a list."""
    print(json.dumps([{**asdict(each.guard), "result": each.result} for each in verdicts], indent=2))
