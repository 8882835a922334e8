"""Just enough of Kafka's wire protocol to ask a broker who is in the cluster, without a client library."""

from __future__ import annotations

import socket
import struct

METADATA, VERSION, CORRELATION = 3, 1, 1


def living_brokers(host: str, port: int, timeout: float = 2.0) -> list[int]:
    """The ids of the brokers that this one knows as alive; empty while it doesn't answer."""
    try:
        with socket.create_connection((host, port), timeout) as connection:
            connection.settimeout(timeout)
            connection.sendall(metadata_request())
            return broker_ids(answer(connection))
    except (OSError, struct.error):
        return []


def metadata_request() -> bytes:
    """A Metadata request for no topic at all."""
    client = b"services"
    body = struct.pack(">hhih", METADATA, VERSION, CORRELATION, len(client)) + client + struct.pack(">i", 0)
    return struct.pack(">i", len(body)) + body


def answer(connection: socket.socket) -> bytes:
    """One whole response, without its length."""
    (length,) = struct.unpack(">i", exactly(connection, 4))
    return exactly(connection, length)


def exactly(connection: socket.socket, length: int) -> bytes:
    """That many bytes; a peer that closes before is an OSError."""
    content = bytearray()
    while len(content) < length:
        chunk = connection.recv(length - len(content))
        if not chunk:
            raise ConnectionError("the broker closed the connection")
        content += chunk
    return bytes(content)


def broker_ids(response: bytes) -> list[int]:
    """The node ids in a Metadata response (version 1: id, host, port, rack)."""
    (count,) = struct.unpack_from(">i", response, 4)
    place, found = 8, []
    for _ in range(count):
        node, host = struct.unpack_from(">ih", response, place)
        place += 6 + host + 4
        (rack,) = struct.unpack_from(">h", response, place)
        place += 2 + max(rack, 0)
        found.append(node)
    return sorted(found)
