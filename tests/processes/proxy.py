"""A TCP proxy on loopback that can be cut and mended: an outage without stopping anybody's server.

It can also be slow, keep back or lose what the server answers, or lose what it is asked.
"""

import socket
import threading
import time
from contextlib import suppress


class Proxy:
    """Forwards connections to a server while it is up."""

    def __init__(self, host: str, port: int) -> None:
        self._server = (host, port)
        self._open: set[socket.socket] = set()
        self._up = True
        self._dropping = False
        self._deaf = False
        self._late = 0.0
        self._speaking = threading.Event()
        self._speaking.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break all connections and refuse new ones."""
        self._up = False
        for side in list(self._open):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def delay(self, seconds: float) -> None:
        """Let the server's answers be late."""
        self._late = seconds

    def drop_replies(self) -> None:
        """Break each connection when the server next answers on it: what was asked for was done."""
        self._dropping = True

    def mute(self) -> None:
        """Keep back the answers, as a server does that was stopped; `mend` or `speak` sends them on."""
        self._speaking.clear()

    def speak(self) -> None:
        """Send on what was kept back."""
        self._speaking.set()

    def deafen(self) -> None:
        """Let nothing reach the server that it is asked from now on."""
        self._deaf = True

    def mend(self) -> None:
        """Forward again, at once."""
        self._up, self._dropping, self._deaf, self._late = True, False, False, 0.0
        self.speak()

    def close(self) -> None:
        """End it for good."""
        self.cut()
        self.speak()
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._connect(client)

    def _connect(self, client: socket.socket) -> None:
        """Join a client to the server; one that can't be reached is one that has hung up."""
        if self._up:
            with suppress(OSError):
                self._join(client, socket.create_connection(self._server))
                return
        client.close()

    def _join(self, client: socket.socket, server: socket.socket) -> None:
        for side in (client, server):
            side.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._open |= {client, server}
        threading.Thread(target=self._pump, args=(client, server, False), daemon=True).start()
        threading.Thread(target=self._pump, args=(server, client, True), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                if not answers and self._deaf:
                    continue
                if answers:
                    self._speaking.wait()
                    time.sleep(self._late)
                if answers and self._dropping:
                    break
                target.sendall(data)
        for side in (source, target):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)
        self._open.discard(source)
        source.close()
