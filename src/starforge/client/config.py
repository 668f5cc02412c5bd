"""What ``sf login`` remembers: ``<config folder>/starforge/config.json`` (0600)."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from starforge.errors import StarForgeError
from starforge.i18n import Text


class Login(NamedTuple):
    """A server elsewhere and our token for it."""

    url: str
    token: str


def config_file() -> Path:
    """Return the file, below ``XDG_CONFIG_HOME`` or ``~/.config``."""
    base = os.environ.get("XDG_CONFIG_HOME")
    folder = Path(base).expanduser() if base else Path.home() / ".config"
    return folder / "starforge" / "config.json"


def read_login() -> Login | None:
    """Return the remembered server, if any."""
    path = config_file()
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        return Login(str(raw["url"]), str(raw["token"]))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    except (ValueError, KeyError, TypeError) as error:
        raise _unusable(path, str(error)) from error


def write_login(login: Login) -> Path:
    """Remember a server; the file is readable by its owner only."""
    path = config_file()
    temp = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(login._asdict(), stream, indent=2)
            stream.write("\n")
        temp.replace(path)
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    return path


def forget_login() -> Login | None:
    """Forget the remembered server and return what it was."""
    path = config_file()
    try:
        login = read_login()
    except StarForgeError:
        login = None  # a broken file is forgotten like any other
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error
    return login


def _unusable(path: Path, why: str) -> StarForgeError:
    return StarForgeError(
        "client/login-file",
        Text(f"the login file {path} can't be used: {why}", f"登录文件 {path} 无法使用：{why}"),
        Text(
            "make it readable and writable for you, or run `sf logout` and `sf login URL` again",
            "请检查该文件的读写权限，或运行 `sf logout` 后重新 `sf login URL`",
        ),
    )
