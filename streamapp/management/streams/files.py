"""Files that an operator names."""

from pathlib import Path

from streamapp.exceptions import InvalidPosition


def text_of(file: Path) -> str:
    """Return what is in a file of positions. Raises InvalidPosition if it can't be read."""
    try:
        return file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidPosition(f"{file} can't be read: {error}") from error
