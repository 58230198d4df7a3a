"""A wire between the service and a real server that can be made to misbehave at any moment."""

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

HOST = "127.0.0.1"
PASS, HANG, DRIP, RESET, GARBAGE = "pass", "hang", "drip", "reset", "garbage"


class Proxy:
    """Passes bytes on as `mode` says; the mode may change while connections are open."""

    def __init__(self, port: int, target: int) -> None:
        self.port = port
        self.mode = PASS
        self.connections = 0
        self._target = target
        self.over = threading.Event()

    def serve(self, client: socket.socket) -> None:
        """Connect *client* to the server."""
        self.connections += 1
        with client, suppress(OSError), socket.create_connection((HOST, self._target)) as server:
            back = threading.Thread(target=self._answers, args=(server, client), daemon=True)
            back.start()
            with suppress(OSError):
                while data := client.recv(65536):
                    server.sendall(data)
            with suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            back.join()

    def _answers(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(65536):
                if self.mode == HANG:
                    self.over.wait()
                elif self.mode == DRIP:
                    for byte in data:
                        if self.over.wait(0.05):
                            break
                        client.sendall(bytes([byte]))
                elif self.mode == RESET:
                    option = struct.pack("ii", 1, 0)  # linger on, zero seconds
                    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, option)
                    client.shutdown(socket.SHUT_RD)
                    client.close()
                    break
                else:
                    client.sendall(b"\xff\x00garbage" * 9 if self.mode == GARBAGE else data)
        with suppress(OSError):
            client.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxied(target: int) -> Iterator[Proxy]:
    """Listen on a free port for connections to the port *target*."""
    with socket.create_server((HOST, 0)) as listener:
        listener.settimeout(0.1)
        proxy = Proxy(listener.getsockname()[1], target)

        def accept() -> None:
            while not proxy.over.is_set():
                with suppress(TimeoutError):
                    client, _ = listener.accept()
                    threading.Thread(target=proxy.serve, args=(client,), daemon=True).start()

        acceptor = threading.Thread(target=accept)
        acceptor.start()
        try:
            yield proxy
        finally:
            proxy.over.set()
            acceptor.join()
