"""Bytes as text that is safe to show: whoever wrote them may not mean well."""

import unicodedata

SHOWN_CHARACTERS = 20_000
LINES = "\n\t"


def text_or_hex(payload: bytes | memoryview | None) -> str:
    """Write bytes as text if they are UTF-8, as hexadecimal if not; a long text is cut, and says so."""
    if payload is None:
        return "null"
    whole = bytes(payload)
    try:
        text = whole.decode()
    except UnicodeDecodeError:
        text = f"hex: {whole[:SHOWN_CHARACTERS].hex(' ')}"
    return cut(text, len(whole))


def cut(text: str, size: int) -> str:
    """Return text without signs that a terminal or browser obeys, cut if it is long; `size` is in bytes."""
    note = f"\n… cut here; {size:,} bytes in all" if len(text) > SHOWN_CHARACTERS else ""
    return harmless(text[:SHOWN_CHARACTERS]) + note


def harmless(text: str) -> str:
    """Return text with control signs, halves of characters and marks of direction as escapes."""
    return text if text.isascii() and text.isprintable() else "".join(map(_harmless, text))


def _harmless(sign: str) -> str:
    if sign in LINES or unicodedata.category(sign) not in ("Cc", "Cf", "Cs"):
        return sign
    return sign.encode("unicode_escape", "surrogatepass").decode()
