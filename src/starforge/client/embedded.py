"""Find the server to talk to: the environment's, the one of ``sf login``, or the embedded one.

The embedded server is a process of its own on this machine, one for each home. It is
started when first needed and stays until ``sf down``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from starforge import __version__
from starforge.client.config import read_login
from starforge.client.process import Running, running, start
from starforge.errors import ExitCode, StarForgeError
from starforge.home import starforge_home
from starforge.i18n import Text, t

if TYPE_CHECKING:
    from starforge.client.client import Client

__all__ = [
    "Target",
    "client_of",
    "configured",
    "connect",
    "connect_running",
    "find",
    "home_token",
    "reach",
]

Origin = Literal["environment", "login", "embedded"]


class Target(NamedTuple):
    """A server to talk to. ``token`` is ``None`` when we have none for it."""

    url: str
    token: str | None
    origin: Origin


def configured() -> Target | None:
    """Return the server that was configured (``STARFORGE_URL``, ``sf login``), if any."""
    url = os.environ.get("STARFORGE_URL")
    login = read_login()
    if url:
        token = os.environ.get("STARFORGE_TOKEN")
        if not token and login and login.url.rstrip("/") == url.rstrip("/"):
            token = login.token
        if not token:
            here = running(starforge_home())
            token = home_token(starforge_home()) if here and here.url == url.rstrip("/") else None
        return Target(url.rstrip("/"), token, "environment")
    return Target(login.url.rstrip("/"), login.token, "login") if login else None


def find(*, launch: bool = True, notify: Callable[[str], None] | None = None) -> Target | None:
    """Return the server to use, starting the embedded one when ``launch`` and none runs.

    ``notify`` is told once when a server was started.
    """
    target = configured()
    if target is not None:
        return target
    home = starforge_home()
    here = running(home)
    if here is None:
        if not launch:
            return None
        here = start(home)
        if notify is not None and here.ours:
            notify(
                t(
                    "started the embedded server at {url}",
                    "已启动内嵌服务：{url}",
                    url=here.url,
                )
            )
    _same_version(here.url, here.version, embedded=True)
    return Target(here.url, home_token(home), "embedded")


def reach(*, notify: Callable[[str], None] | None = None) -> Target:
    """Return the server to use (see :func:`find`), once it is there and of our version."""
    target = find(notify=notify or _to_stderr)
    assert target is not None
    if target.origin != "embedded":
        check_version(target.url)
    return target


def connect(*, notify: Callable[[str], None] | None = None) -> Client:
    """Return a client of the server to use (see :func:`reach`)."""
    return client_of(reach(notify=notify))


def connect_running() -> Client | None:
    """Return a client when a server is configured or already runs; start nothing."""
    target = find(launch=False)
    return client_of(target) if target else None


def client_of(target: Target) -> Client:
    """Return a client of ``target``; one of the embedded server finds it again after a restart."""
    from starforge.client.client import Client  # costs more than all the rest of `sf methods`

    locate = _home_url if target.origin == "embedded" else None
    return Client(target.url, target.token, locate=locate)


def _home_url() -> str | None:
    here = running(starforge_home())
    return here.url if here else None


def running_version() -> str | None:
    """Return the version of the embedded server, when it runs."""
    here: Running | None = running(starforge_home())
    return here.version if here else None


def check_version(url: str) -> str:
    """Return the version of the server at ``url``; raise when it is away or does not fit."""
    from starforge.client.errors import not_starforge, slow, unreachable
    from starforge.client.probe import health

    try:
        version = health(url, timeout=10.0)
    except TimeoutError as error:
        raise slow(url, 10.0) from error
    except ValueError as error:
        raise not_starforge(url, str(error)) from error
    if version is None:
        raise unreachable(url, t("nothing listens there", "该地址没有服务在监听"))
    _same_version(url, version, embedded=False)
    return version


def _same_version(url: str, theirs: str, *, embedded: bool) -> None:
    """Refuse a server whose major and minor version are not ours."""
    if theirs.split(".")[:2] != __version__.split(".")[:2]:
        from starforge.client.errors import other_version

        raise other_version(url, theirs, __version__, embedded=embedded)


def home_token(home: Path) -> str:
    """Return the token of the server of `home`, for this account only."""
    path = home / "token"
    try:
        return path.read_text(encoding="utf-8").strip()
    except OSError as error:
        why = error.strerror or str(error)
        raise StarForgeError(
            "client/no-token",
            Text(f"the token {path} can't be read: {why}", f"无法读取令牌文件 {path}：{why}"),
            Text(
                "use the account that started the server, or another STARFORGE_HOME",
                "请使用启动该服务的账户，或用 STARFORGE_HOME 换一个目录",
            ),
            exit_code=ExitCode.NOT_ALLOWED,
        ) from error


def _to_stderr(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201 - the one line a person should see
