"""The account this server runs under: so far every request is its user's."""

from __future__ import annotations

import getpass


def account() -> str:
    """Return the account's name."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # an account without a name
        return "user"
