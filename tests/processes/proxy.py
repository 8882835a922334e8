"""A TCP proxy on loopback that can be cut and mended: an outage without stopping anybody's server."""

import socket
import threading
from contextlib import suppress


class Proxy:
    """Forwards connections to a server while it is up."""

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._open: set[socket.socket] = set()
        self._up = True
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break all connections and refuse new ones."""
        self._up = False
        for side in list(self._open):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def mend(self) -> None:
        """Forward again."""
        self._up = True

    def close(self) -> None:
        """End it for good."""
        self.cut()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                if self._up:
                    self._join(client, socket.create_connection(self._server))
                else:
                    client.close()

    def _join(self, client: socket.socket, server: socket.socket) -> None:
        self._open |= {client, server}
        for source, target in ((client, server), (server, client)):
            threading.Thread(target=self._pump, args=(source, target), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for side in (source, target):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)
