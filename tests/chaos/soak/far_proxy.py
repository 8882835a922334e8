"""The proxy in a process of its own: in this one it would wait for the sampler at every byte."""

import multiprocessing
from multiprocessing.connection import Connection

from tests.processes.proxy import Proxy


class FarProxy:
    """Takes the orders that a proxy takes, and is through with each when the call returns."""

    def __init__(self, host: str, port: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._orders, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(host, port, theirs), daemon=True)
        self._process.start()
        self.port: int = self._orders.recv()

    def cut(self) -> None:
        """Break all connections and refuse new ones."""
        self._order("cut")

    def delay(self, seconds: float) -> None:
        """Let the server's answers be late."""
        self._order("delay", seconds)

    def drop_replies(self) -> None:
        """Break each connection when the server next answers on it."""
        self._order("drop_replies")

    def mend(self) -> None:
        """Forward again, at once."""
        self._order("mend")

    def close(self) -> None:
        """End it for good."""
        self._process.kill()
        self._process.join()

    def _order(self, name: str, *arguments: float) -> None:
        self._orders.send((name, arguments))
        self._orders.recv()


def _serve(host: str, port: int, orders: Connection) -> None:
    proxy = Proxy(host, port)
    orders.send(proxy.port)
    while True:
        name, arguments = orders.recv()
        orders.send(getattr(proxy, name)(*arguments))
