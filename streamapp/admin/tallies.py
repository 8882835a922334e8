"""How far an action over many records has come, kept from request to request in the form."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from streamapp.services.set_aside import Done

SENTENCES = 20


@dataclass(frozen=True, slots=True)
class Tally:
    """How many records were moved and refused so far, and the first sentences about those."""

    done: int = 0
    refused: int = 0
    sentences: tuple[str, ...] = ()
    stopped: str = ""

    @classmethod
    def posted(cls, given: Mapping[str, Any]) -> "Tally":
        """Read what the page before has counted; it is for showing only."""
        counts = [given.get(name, "") for name in ("done", "refused")]
        done, refused = (int(text) if text.isdecimal() and len(text) < 7 else 0 for text in counts)
        return cls(done, refused, tuple(given.get("sentences", "").splitlines()[:SENTENCES]))

    def plus(self, done: Done) -> "Tally":
        """Count a chunk."""
        sentences = (*self.sentences, *done.refused)[:SENTENCES]
        return Tally(self.done + len(done.rows), self.refused + len(done.refused), sentences, done.stopped)

    @property
    def lines(self) -> str:
        """Return the sentences, one a line."""
        return "\n".join(self.sentences)
