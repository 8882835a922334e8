"""Chromium for the tests that press the buttons: nothing that runs, only something to have."""

from __future__ import annotations

import os
import shutil

from servers.base import Server, Status
from servers.failure import ServiceError
from servers.packages import install_packages

NAMES = ("chromium", "chromium-browser", "google-chrome")


class Chromium(Server):
    """A browser that each test starts and stops by itself."""

    name = "chromium"

    def install(self) -> None:
        if not path():
            install_packages("Chromium", ["chromium"])

    def up(self, brokers: int | None) -> bool:
        if not path():
            raise ServiceError("Chromium was installed and is not on the PATH. Name it: CHROMIUM=/path/to/it")
        return False

    def down(self) -> bool:
        return False

    def wipe(self) -> None:
        """There is no data."""

    def status(self) -> Status:
        there = bool(path())
        return Status(self.name, running=there, answers=there, where=path(), note="started by each test")

    def environment(self) -> dict[str, str]:
        return {"CHROMIUM": path()}


def path() -> str:
    """Where the browser is, or nothing."""
    given = os.environ.get("CHROMIUM")
    candidates = map(shutil.which, [given] if given else NAMES)
    return next(filter(None, candidates), "") or ""
