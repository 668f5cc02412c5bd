"""Signed-in browsers: one-time codes that let one in, and the cookie it then carries.

A cookie is ``ID.EXPIRES.SIGNATURE``, signed with a key of the home and the user's token: it
holds after a restart, and a new token ends every session. Signing out writes the session's id
down until it would have expired by itself. Codes live in memory only.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Text
from starforge.server.home import secret_file, write_private

SESSION_SECONDS = 30 * 24 * 3600
CODE_SECONDS = 10 * 60
CODES_KEPT = 64
"""Codes that are valid at once; with a further one the oldest ends."""


@dataclass(frozen=True)
class Session:
    """A browser that signed in; ``expires`` in Unix seconds."""

    id: str
    expires: float


class Sessions:
    """The sessions of one server. ``token`` is the user's token."""

    def __init__(self, home: Path, token: str, *, clock: Callable[[], float] = time.time) -> None:
        key = secret_file(home / "session.key")
        self._key = hashlib.sha256(f"{key}\n{token}".encode()).digest()
        # Cookies know no ports: servers of one machine need names of their own.
        self.cookie = f"starforge-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
        self._clock = clock
        self._lock = threading.Lock()
        self._codes: OrderedDict[str, float] = OrderedDict()
        self._file = home / "sessions-ended.json"
        self._ended = _read_ended(self._file)

    def new_code(self) -> str:
        """Return a code that signs in once, within ``CODE_SECONDS``."""
        code = secrets.token_urlsafe(24)
        with self._lock:
            self._codes[_digest(code)] = time.monotonic() + CODE_SECONDS
            while len(self._codes) > CODES_KEPT:
                self._codes.popitem(last=False)
        return code

    def redeem(self, code: str) -> None:
        """Use a code up; refuse one that is unknown, used or expired."""
        with self._lock:
            until = self._codes.pop(_digest(code), None)
        if until is None or until < time.monotonic():
            raise StarForgeError(
                "auth/used-code",
                Text(
                    "this sign-in link was used already, or has expired",
                    "该登录链接已被使用过或已过期",
                ),
                Text("`sf open` gives a new one", "运行 `sf open` 可获得新的链接"),
                exit_code=ExitCode.NOT_ALLOWED,
                status=401,
            )

    def start(self) -> tuple[Session, str]:
        """Begin a session; return it with the cookie's value."""
        session = Session(secrets.token_urlsafe(18), float(int(self._clock()) + SESSION_SECONDS))
        return session, f"{session.id}.{int(session.expires)}.{self._sign(session)}"

    def find(self, value: str | None) -> Session | None:
        """Return the session of a cookie's value; ``None`` when it is not one, or is over."""
        parts = (value or "").split(".")
        if len(parts) != 3 or not parts[1].isascii() or not parts[1].isdigit():
            return None
        session = Session(parts[0], float(parts[1][:15]))
        if not hmac.compare_digest(self._sign(session).encode(), parts[2].encode()):
            return None
        return None if session.expires <= self._clock() or session.id in self._ended else session

    def end(self, session: Session) -> None:
        """Sign out: the cookie opens nothing any more, not even after a restart."""
        now = self._clock()
        with self._lock:
            kept = {ident: until for ident, until in self._ended.items() if until > now}
            kept[session.id] = session.expires
            write_private(self._file, json.dumps(kept) + "\n")
            self._ended = kept

    def _sign(self, session: Session) -> str:
        text = f"session:{session.id}.{int(session.expires)}"
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _read_ended(path: Path) -> dict[str, float]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(value, dict):
        return {}
    return {str(ident): float(until) for ident, until in value.items() if _is_number(until)}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
