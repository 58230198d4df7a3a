"""Servers that misbehave on purpose, on loopback: one behaviour each."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

HOST = "127.0.0.1"
Behaviour = Callable[[socket.socket, threading.Event], None]


@contextmanager
def serving(behaviour: Behaviour) -> Iterator[int]:
    """Serve *behaviour* to every connection; gives the port, ends all threads on the way out."""
    over = threading.Event()
    threads: list[threading.Thread] = []
    with socket.create_server((HOST, 0)) as listener:
        listener.settimeout(0.1)

        def accept() -> None:
            while not over.is_set():
                with suppress(TimeoutError):
                    connection, _ = listener.accept()
                    thread = threading.Thread(target=serve, args=(connection,))
                    threads.append(thread)
                    thread.start()

        def serve(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                behaviour(connection, over)

        acceptor = threading.Thread(target=accept)
        acceptor.start()
        try:
            yield listener.getsockname()[1]
        finally:
            over.set()
            acceptor.join()
            for thread in threads:
                thread.join()


@contextmanager
def nobody() -> Iterator[int]:
    """A port on which nobody listens."""
    with socket.socket() as reserved:
        reserved.bind((HOST, 0))  # bound, so that nobody else takes it; not listening
        yield reserved.getsockname()[1]


def says(status: str, body: bytes, kind: str = "application/json") -> Behaviour:
    """Answer every request with this status and body."""
    head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
    if status.startswith("3"):
        head += "Location: http://127.0.0.1:1/\r\n"
    return sends(head.encode() + b"Connection: close\r\n\r\n" + body)


def sends(data: bytes) -> Behaviour:
    """Read the request, send *data*, close."""

    def behave(connection: socket.socket, _: threading.Event) -> None:
        read_request(connection)
        connection.sendall(data)

    return behave


def hangs(_: socket.socket, over: threading.Event) -> None:
    """Take the connection and never answer."""
    over.wait()


def drips(start: bytes) -> Behaviour:
    """Send *start*, then one byte after the other: never a pause that is a time-out."""

    def behave(connection: socket.socket, over: threading.Event) -> None:
        read_request(connection)
        connection.sendall(start)
        while not over.wait(0.05):
            connection.sendall(b" ")

    return behave


def resets(connection: socket.socket, _: threading.Event) -> None:
    """Read the request, then break the connection off."""
    read_request(connection)
    # Linger on, zero seconds: close sends a reset.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def read_request(connection: socket.socket) -> bytes:
    """Read one request with a Content-Length."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _received(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1])
        for line in head.split(b"\r\n")
        if line.lower().startswith(b"content-length:")
    )
    while len(body) < length:
        body += _received(connection)
    return body


def _received(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    if not data:
        raise ConnectionError("the client left")
    return data
