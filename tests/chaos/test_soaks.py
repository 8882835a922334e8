"""The short form of the soaks: a minute of blows to real processes and servers of the test's own.

The seed is drawn anew for every run; STREAMAPP_SOAK_SEED repeats one, STREAMAPP_SOAK_SECONDS makes it longer.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECONDS = float(os.environ.get("STREAMAPP_SOAK_SECONDS", "45"))
PATIENCE_SECONDS = 420
"""Beside the blows: servers start, and what was held back comes again; a busy machine is slow."""

pytestmark = [pytest.mark.alone, pytest.mark.timeout(SECONDS + PATIENCE_SECONDS)]


def soak(broker: str, directory: Path) -> dict:
    command = [sys.executable, "-m", "tests.chaos.soak", "--broker", broker, "--json"]
    options = ["--seconds", str(SECONDS), "--directory", str(directory)]
    seed = os.environ.get("STREAMAPP_SOAK_SEED")
    options += ["--seed", seed] if seed else []
    with subprocess.Popen([*command, *options], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            said, _ = process.communicate()
        finally:
            process.terminate()  # it clears its servers away
    return json.loads(said.splitlines()[-1]) if said else {"passed": False}


@pytest.mark.parametrize(
    "broker",
    [
        pytest.param("kafka", marks=pytest.mark.live("kafka", "postgres")),
        pytest.param("kinesis", marks=pytest.mark.live("kinesis", "postgres")),
    ],
)
def test_no_blow_loses_a_record_doubles_an_effect_or_lets_a_checkpoint_pass(broker, tmp_path):
    report = soak(broker, tmp_path)
    print(json.dumps(report, indent=1))  # shown by pytest when the test has failed
    assert report["passed"], report
