"""Signing in from a browser."""

from __future__ import annotations

from typing import Literal

from starforge.wire.base import Request, Shape, Time


class SignIn(Request):
    """One of the two: the ``code`` of a one-time link, or the server's ``token``."""

    code: str | None = None
    token: str | None = None


class SessionInfo(Shape):
    """Who asks. ``user`` is the account that runs the server: there is one user so far.

    ``via`` is ``cookie`` for a browser that signed in and ``token`` else; ``expires_at`` is the
    end of the session of a cookie.
    """

    user: str
    via: Literal["cookie", "token"]
    expires_at: Time | None = None


class SignInCode(Shape):
    """A code that signs in once. ``path`` with the code in its fragment opens the console:
    browsers send no fragment, so the code reaches no log and no Referer.
    """

    code: str
    path: str
    expires_in: float
