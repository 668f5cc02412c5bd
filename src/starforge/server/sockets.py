"""Choosing the port before anything expensive starts."""

from __future__ import annotations

import errno
import socket

from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Text
from starforge.server.settings import DEFAULT_PORT, Settings


def bind(settings: Settings) -> socket.socket:
    """Bind the listening socket.

    A port somebody asked for is taken or refused; otherwise the default port, or a free
    one when that is busy.
    """
    if settings.port is not None:
        return _bind(settings.host, settings.port)
    try:
        return _bind(settings.host, DEFAULT_PORT)
    except StarForgeError as error:
        if error.code != "server/port-busy":
            raise
        return _bind(settings.host, 0)


def url_of(settings: Settings, listener: socket.socket) -> str:
    """Return the address for clients on this machine."""
    port = listener.getsockname()[1]
    host = settings.host
    if host in ("0.0.0.0", "::", ""):  # noqa: S104 - compared, not bound
        host = "127.0.0.1"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns Nagle's algorithm off (40 ms an answer) only where the protocol is named.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except (OSError, OverflowError) as error:
        listener.close()
        raise _bind_error(host, port, error) from error
    listener.set_inheritable(False)
    return listener


def _bind_error(host: str, port: int, error: Exception) -> StarForgeError:
    number = getattr(error, "errno", None)
    if number == errno.EADDRINUSE:
        return StarForgeError(
            "server/port-busy",
            Text(
                f"port {port} of {host} is used by another program",
                f"{host} 的端口 {port} 已被其他程序占用",
            ),
            Text(
                "choose another with `sf up --port N`, or leave the port out",
                "请用 `sf up --port N` 换一个端口，或者不指定端口",
            ),
        )
    reason = getattr(error, "strerror", None) or str(error)
    return StarForgeError(
        "server/cannot-listen",
        Text(f"can't listen on {host}:{port}: {reason}", f"无法监听 {host}:{port}：{reason}"),
        Text(
            "check the host and port of `sf up --host H --port N`",
            "请检查 `sf up --host H --port N` 中的地址和端口",
        ),
        exit_code=ExitCode.NOT_FINE,
    )
