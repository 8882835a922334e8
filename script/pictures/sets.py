"""The sets of pictures: the example as it is documented, a desk with nothing on it, and a crowded one."""

import os
import tempfile
from collections.abc import Callable, Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[2]
SETS = ("example", "empty", "long", "crowd")


def take(target: Path, *, every_look: bool) -> None:
    """Take the pictures of the documentation, or all of all sets; each set has a process and a database."""
    for name in SETS if every_look else SETS[:2]:
        process = get_context("spawn").Process(target=_take, args=(name, target, every_look))
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(f"The pictures of the set {name} failed.")


def _take(name: str, target: Path, every_look: bool) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["DATABASE_URL"] = f"sqlite:///{scratch}/pictures.sqlite3"
        os.environ |= {"DJANGO_SETTINGS_MODULE": "pictures.settings", "PICTURES_SET": name}
        from pictures.browser import photograph
        from pictures.server import serving

        seed, pages = _set(name)
        session = seed()
        with serving(CHECKOUT) as address:
            photograph(address, session, target, pages, every_look=every_look)


def _set(name: str) -> tuple[Callable[[], str], Callable[[Any], Iterator[str]]]:
    from pictures.crowd import seed_crowd
    from pictures.long import seed_long
    from pictures.scene import seed, seed_nothing
    from pictures.walks import crowded_pages, empty_pages, long_pages, pages

    seeds = {"example": seed, "empty": seed_nothing, "long": seed_long, "crowd": seed_crowd}
    walks = {"example": pages, "empty": empty_pages, "long": long_pages, "crowd": crowded_pages}
    return seeds[name], walks[name]
