"""Copies of the code in which guards are taken out; the checkout itself is never touched."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mutation.guard import Guard

CHECKOUT = Path(__file__).resolve().parents[2]
COPIED = ("streamapp", "projects", "tests", "benchmarks", "pyproject.toml")


class Gone(Exception):
    """The code doesn't say any more what the catalogue takes out."""


class Scratch:
    """One copy, for one test run at a time."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        for name in COPIED:
            source = CHECKOUT / name
            copy = shutil.copytree if source.is_dir() else shutil.copy2
            copy(source, directory / name)

    @contextmanager
    def without(self, guard: Guard) -> Iterator[None]:
        """Take a guard out and put it back; raises Gone unless its text stands there exactly once."""
        path = self.directory / "streamapp" / guard.file
        whole = path.read_text() if path.is_file() else ""
        if whole.count(guard.text) != 1:
            raise Gone(f"{guard.file} has the text {whole.count(guard.text)} times")
        path.write_text(whole.replace(guard.text, guard.without))
        try:
            yield
        finally:
            path.write_text(whole)
