"""The sockets: HTTP/1.1 on a loopback port, in front of the gateway."""

import logging
import re
import socket
import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer

from typo3_retrieval_cli.server.gateway import MAX_BODY, Gateway, Request, Response
from typo3_retrieval_cli.server.page import LOOPBACK_HOSTS, Page, host_of

log = logging.getLogger(__name__)

MAX_LINE = 1024  # bytes of a line between chunks
IDLE_SECONDS = 60  # how long a kept connection may stay silent
MAX_DRAINED = 4 * MAX_BODY  # bytes read of a body that is not wanted, so that the answer arrives


class LocalServer(ThreadingHTTPServer):
    """Serves the gateway's routes, and the page at ``/``.

    Args:
        host: address to listen on.
        port: 0 takes a free one.
        gateway: answers everything but ``GET /``.
        page: None serves no page.
    """

    daemon_threads = True  # a kept connection must not keep the process
    block_on_close = False

    def __init__(self, host: str, port: int, gateway: Gateway, page: Page | None = None) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.gateway = gateway
        self.page = page
        super().__init__((host, port), _Connection)

    @property
    def url(self) -> str:
        """Where the server listens, with a trailing slash."""
        host, port = self.server_address[:2]
        name = host.decode() if isinstance(host, bytes | bytearray) else str(host)
        return f"http://{f'[{name}]' if ':' in name else name}:{port}/"

    def server_bind(self) -> None:
        """Bind without asking a name server for this machine's name, as the base class does."""
        TCPServer.server_bind(self)

    def is_loopback(self) -> bool:
        """Whether only this machine reaches the server."""
        return str(self.server_address[0]) in LOOPBACK_HOSTS


class _Connection(BaseHTTPRequestHandler):
    """One connection of a client."""

    server: LocalServer
    protocol_version = "HTTP/1.1"  # connections are kept
    server_version, sys_version = "typo3-retrieval", ""
    timeout = IDLE_SECONDS

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Answer every method alike: the gateway knows the routes."""
        if name.startswith("do_"):
            return self._answer
        raise AttributeError(name)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing of the base class's lines: `_answer` writes one a request."""

    def _answer(self) -> None:
        started = time.monotonic()
        response = self._response()
        self.send_response_only(response.status)
        self.send_header("date", self.date_time_string())
        for name, value in response.headers:
            self.send_header(name, value)
        self.send_header("content-length", str(len(response.body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)
        log.info(
            "%s %s %d %d ms",
            self.command,
            self.path.partition("?")[0],
            response.status,
            (time.monotonic() - started) * 1000,
        )

    def _response(self) -> Response:
        try:
            body = self._body()
        except ValueError:
            self.close_connection = True  # where the next request begins is unknown
            return _plain(HTTPStatus.BAD_REQUEST)
        if body is None:
            self.close_connection = True
            return self.server.gateway.refuse("REQUEST_TOO_LARGE")
        if self.server.page is not None and self.command == "GET" and self._path() == "/":
            return self._page(self.server.page)
        return self.server.gateway.answer(
            Request(
                method=self.command,
                target=self.path,
                headers=tuple(self.headers.items()),
                body=body,
                client=self.client_address[0],
            )
        )

    def _body(self) -> bytes | None:
        """The request's body; None when it is over the gateway's limit.

        Raises:
            ValueError: its length is not told, or told wrongly.
        """
        if "transfer-encoding" in self.headers:
            return self._chunked_body()
        length = _number(self.headers.get("content-length", "0"), 10)
        if length > MAX_BODY:
            self._drain(length)
            return None
        return self.rfile.read(length)

    def _chunked_body(self) -> bytes | None:
        if self.headers["transfer-encoding"].strip().lower() != "chunked":
            raise ValueError("an unknown transfer encoding")
        body = bytearray()
        while length := _number(self.rfile.readline(MAX_LINE).split(b";")[0].decode(), 16):
            if len(body) + length > MAX_BODY:
                self._drain(MAX_DRAINED)
                return None
            body += self.rfile.read(length)
            if self.rfile.readline(MAX_LINE).strip():
                raise ValueError("a chunk longer than told")
        while self.rfile.readline(MAX_LINE).strip():
            pass  # trailers: headers behind the body, which nobody needs
        return bytes(body)

    def _drain(self, length: int) -> None:
        """Read and forget: closing with unread bytes would reset the connection."""
        left = min(length, MAX_DRAINED)
        while left > 0 and (chunk := self.rfile.read1(left)):
            left -= len(chunk)

    def _page(self, page: Page) -> Response:
        if self.server.is_loopback() and host_of(self.headers.get("host")) not in LOOPBACK_HOSTS:
            return _plain(HTTPStatus.MISDIRECTED_REQUEST)
        return page.response()

    def _path(self) -> str:
        return self.path.partition("?")[0]


def _number(text: str, base: int) -> int:
    """Read a length, without the signs, blanks and underscores that `int` lets pass."""
    if not re.fullmatch("[0-9A-Fa-f]{1,16}", text.strip()):
        raise ValueError("no length")
    return int(text, base)


def _plain(status: HTTPStatus) -> Response:
    return Response(
        status=status,
        headers=(("content-type", "text/plain; charset=utf-8"),),
        body=f"{status.phrase}\n".encode(),
    )
