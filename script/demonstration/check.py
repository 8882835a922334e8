"""The demonstration without a person: it sets the stage, plays, and prints the verdict as a JSON object."""

import json
import os
import shutil
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any
from uuid import uuid4

import django

from demonstration.stages import Stage, stage
from demonstration.stopping import Stop, say


def play_check(files: Path, stop: Stop, *, real: bool, broken: str | None) -> int:
    """Play, print the result as the last line of standard output, and return the exit code."""
    began = time.monotonic()
    directory = Path(tempfile.mkdtemp(prefix="check-", dir=files))
    try:
        result = _play(directory, stop, real=real, skip_held=broken == "held")
    except Exception as error:  # noqa: BLE001 - the edge of the command: whatever happens is a result
        traceback.print_exc()
        result = {"ok": False, "problems": [str(error) or repr(error)]}
    if result["ok"] or broken:
        shutil.rmtree(directory)
    else:
        say(f"The logs are in {directory}")
    print(json.dumps({**result, "seconds": round(time.monotonic() - began, 1)}), flush=True)
    return 0 if result["ok"] else 1


def _play(directory: Path, stop: Stop, *, real: bool, skip_held: bool) -> dict[str, Any]:
    """Play on a database and on streams of its own, so that no other demonstration is disturbed."""
    name = f"check_{uuid4().hex[:12]}"
    with stage(directory, stop, name, real=real) as place:
        environment = _environment(place, directory, name)
        os.environ.update(environment)
        django.setup()
        from demonstration.preparing import scratch
        from demonstration.scenario import Scenario

        say("Preparing the database ...")
        with scratch(place):
            return Scenario(directory, environment, stop).play(skip_held=skip_held)


def _environment(place: Stage, directory: Path, name: str) -> dict[str, str]:
    return {
        **place.environment,
        "DJANGO_SETTINGS_MODULE": "demonstration.settings",
        "STREAMS_PREFIX": f"{name}-",
        "DEMONSTRATION_WITNESS": str(directory / "deliveries"),
    }
