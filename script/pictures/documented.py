"""The pictures of the documentation: which pages they show, in which looks, and how they are made small."""

from pathlib import Path

from PIL import Image

from pictures.looks import DARK, LIGHT, NARROW_DARK, Look

COLOURS = 256
PAGES = {
    "overview": (LIGHT, DARK, NARROW_DARK),
    "subscription": (LIGHT,),
    "subscription-plots": (LIGHT, DARK),
    "checkpoints": (LIGHT, NARROW_DARK),
    "checkpoint": (LIGHT,),
    "workers": (LIGHT,),
    "heldrecord-page": (LIGHT,),
    "skip-a-held-record": (LIGHT, DARK),
    "pause": (LIGHT,),
    "quarantine": (LIGHT,),
    "quarantined": (LIGHT,),
    "deadletters": (LIGHT,),
    "deadletter": (LIGHT, DARK),
    "deadletter-edit": (LIGHT,),
    "deadletter-redeliver": (LIGHT,),
    "dryrun-failed": (LIGHT,),
    "dryrun-fine": (LIGHT,),
    "records": (LIGHT,),
    "skips": (LIGHT,),
    "rewind-scope": (LIGHT,),
    "rewind-form": (LIGHT,),
    "rewind-review": (LIGHT, DARK),
    "rewind-stale": (LIGHT,),
    "rewind-stored": (LIGHT,),
    "rewinds": (LIGHT,),
    "auditentries": (LIGHT,),
    "empty-subscription-overview": (LIGHT,),
    "empty-checkpoint": (LIGHT,),
    "empty-deadletter": (LIGHT,),
}


def looks_of(name: str) -> tuple[Look, ...]:
    """Return the looks that the documentation has of a page; none of most."""
    return PAGES.get(name, ())


def shrink(picture: Path) -> None:
    """Write a picture again with a palette: a third of the bytes, and nobody sees the difference."""
    with Image.open(picture) as whole:
        few = whole.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(picture, optimize=True)
