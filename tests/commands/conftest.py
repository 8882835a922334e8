"""Runs `manage.py streams` as a user does, and gives back what it said and its exit code."""

import io
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.admin.scenes import SETTINGS


@dataclass
class Said:
    """What a command printed and how it ended."""

    code: int
    text: str
    error: str = ""


@pytest.fixture
def streams(settings, db):
    settings.STREAMAPP = SETTINGS

    def run(*words: Any) -> Said:
        output = io.StringIO()
        try:
            call_command("streams", *words, stdout=output)
        except CommandError as error:
            return Said(error.returncode, output.getvalue(), str(error))
        except SystemExit as error:
            return Said(int(error.code or 0), output.getvalue())
        return Said(0, output.getvalue())

    return run
