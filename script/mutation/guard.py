"""What the catalogue is made of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Guard:
    """A piece of code without which a promise doesn't hold, and the test that must fail without it.

    `text` stands once in `file`, which is below streamapp/; `without` takes its place. `test` is the id
    of a pytest test, below tests/, or of all variants of one. It runs on SQLite and the local broker,
    unless it `needs` servers of script/services, with blanks between them.
    """

    name: str
    promise: str
    file: str
    text: str
    without: str
    test: str
    needs: str = ""
