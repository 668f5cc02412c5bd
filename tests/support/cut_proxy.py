"""A TCP proxy that can be cut, as a cable is: what runs through it ends, nothing new begins."""

import contextlib
import socket
import threading

from e2e_harness import free_port

BLOCK = 1 << 16


class CutProxy:
    """Passes bytes on between a port of its own and that of a server."""

    def __init__(self, port: int) -> None:
        self.port = free_port()
        self._to = port
        self._lock = threading.Lock()
        self._cut = False
        self._open: set[socket.socket] = set()
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """End all connections; refuse new ones until `mend`."""
        with self._lock:
            self._cut = True
            for one in self._open:
                _shut(one)

    def mend(self) -> None:
        with self._lock:
            self._cut = False

    def close(self) -> None:
        self.cut()
        _shut(self._listener)
        self._listener.close()
        self._thread.join(5)

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._pass, args=(here,), daemon=True).start()

    def _pass(self, here: socket.socket) -> None:
        with here, socket.socket() as there:
            with contextlib.suppress(OSError):
                there.connect(("127.0.0.1", self._to))
                with self._lock:
                    if self._cut:
                        return
                    self._open |= {here, there}
                back = threading.Thread(target=_pump, args=(there, here), daemon=True)
                back.start()
                _pump(here, there)
                back.join()
            with self._lock:
                self._open -= {here, there}


def _pump(source: socket.socket, sink: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while block := source.recv(BLOCK):
            sink.sendall(block)
    _shut(source)
    _shut(sink)


def _shut(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)
