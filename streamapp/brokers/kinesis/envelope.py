"""Headers on Kinesis, whose records have none.

A record with headers is wrapped: `RSK1`, the length of the headers as four bytes (big-endian), the
headers as lines `name: value` in UTF-8, then the payload. A record without headers is never wrapped.
"""

from collections.abc import Mapping

from streamapp.exceptions import PublishFailed

MAGIC = b"RSK1"
START = len(MAGIC) + 4


def wrap(payload: bytes, headers: Mapping[str, bytes]) -> bytes:
    """Put headers in front of a payload. Raises PublishFailed for headers that lines can't carry."""
    if not headers:
        if payload.startswith(MAGIC):
            return MAGIC + bytes(4) + payload
        return payload
    lines = "".join(f"{name}: {_text(name, value)}\n" for name, value in headers.items()).encode()
    return MAGIC + len(lines).to_bytes(4, "big") + lines + payload


def unwrap(data: bytes) -> tuple[dict[str, bytes], bytes]:
    """Return headers and payload; what isn't a whole envelope is all payload."""
    if not data.startswith(MAGIC) or len(data) < START:
        return {}, data
    end = START + int.from_bytes(data[len(MAGIC) : START], "big")
    headers = _headers(data[START:end])
    return ({}, data) if end > len(data) or headers is None else (headers, data[end:])


def _headers(block: bytes) -> dict[str, bytes] | None:
    """Read the lines; None if they are no headers."""
    if block and not block.endswith(b"\n"):
        return None
    headers = {}
    for line in block.split(b"\n")[:-1]:
        name, colon, value = line.partition(b":")
        try:
            headers[name.decode()] = value.removeprefix(b" ")
        except UnicodeDecodeError:
            return None
        if not colon:
            return None
    return headers


def _text(name: str, value: bytes) -> str:
    if not name or any(sign in name for sign in ":\n"):
        raise PublishFailed(
            f"{name!r} can't be the name of a header on Kinesis: it is empty or has a ':' or newline."
        )
    if b"\n" in value:
        raise PublishFailed(f"The header {name!r} has a newline, which the envelope on Kinesis can't carry.")
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise PublishFailed(
            f"The header {name!r} isn't UTF-8, which the envelope on Kinesis needs."
        ) from error
