"""GET /live and GET /ready: 200, or 503 with the reasons."""

import json
import logging
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from streamapp.engine.condition import Condition
from streamapp.observability.logs import Fields

logger = logging.getLogger("streamapp.health")
Pages = Mapping[str, Callable[[], list[str]]]


class HealthServer:
    """Answers in threads of its own, whatever lanes and handlers do."""

    def __init__(self, address: str, port: int, condition: Condition) -> None:
        """Bind the port, 0 for a free one; raises OSError if it can't be bound."""
        pages = {"/live": condition.life_problems, "/ready": condition.readiness_problems}
        self._server = ThreadingHTTPServer((address, port), _answering(pages))
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, name="streamapp health", daemon=True).start()
        logger.info("Health is told. %s", Fields(address=address, port=self.port))

    def close(self) -> None:
        """Answer no more, and free the port."""
        self._server.shutdown()
        self._server.server_close()


def _answering(pages: Pages) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 5.0

        def do_GET(self) -> None:
            page = pages.get(self.path.partition("?")[0])
            if page is None:
                self._answer(HTTPStatus.NOT_FOUND, {"problems": [f"There are: {', '.join(pages)}."]})
                return
            problems = page()
            status = HTTPStatus.SERVICE_UNAVAILABLE if problems else HTTPStatus.OK
            self._answer(status, {"ok": not problems, "problems": problems})

        def _answer(self, status: HTTPStatus, said: dict[str, Any]) -> None:
            body = json.dumps(said).encode() + b"\n"
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            logger.debug(format, *args)

    return Handler
