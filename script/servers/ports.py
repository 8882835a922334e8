"""Free ports on loopback, remembered so that a server keeps its address over restarts."""

from __future__ import annotations

import socket
from collections.abc import Iterable
from pathlib import Path

from servers.places import read_json, write_json

LOOPBACK = "127.0.0.1"


def ports_for(names: Iterable[str], path: Path) -> dict[str, int]:
    """One port a name: the remembered one if nobody else has taken it meanwhile, else a free one."""
    remembered = read_json(path)
    chosen: dict[str, int] = {}
    for name in names:
        port = remembered.get(name)
        chosen[name] = port if port and is_free(port) else free_port(set(chosen.values()))
    write_json(path, chosen)
    return chosen


def free_port(taken: set[int]) -> int:
    """A port that the system gives out and that none of the others has."""
    while True:
        with socket.socket() as listener:
            listener.bind((LOOPBACK, 0))
            port: int = listener.getsockname()[1]
        if port not in taken:
            return port


def is_free(port: int) -> bool:
    """Whether a server could listen there now."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((LOOPBACK, port))
        except OSError:
            return False
    return True
