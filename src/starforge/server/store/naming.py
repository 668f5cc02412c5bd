"""Names of metrics as they are kept: short, and safe to show."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Mapping

from starforge.server.store.rows import clean

MAX_NAME = 500
"""Characters of the longest metric name that is kept."""

_UNSAFE = frozenset({"Cc", "Cs", "Co", "Cn", "Zl", "Zp"})
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def kept_name(upstream: str, names: Mapping[str, str]) -> str:
    """Return the name under which an upstream metric is kept; ``names`` gives canonical ones."""
    return tidy(clean(names.get(upstream, upstream)))


def tidy(name: str) -> str:
    r"""Return the name under which a metric is kept; mostly the same.

    Control characters and those that turn the direction of writing become ``\x..`` or
    ``\u....``. A name of more than :data:`MAX_NAME` characters keeps its beginning and ends
    in a digest of the whole, so that two long names stay two.
    """
    if name.isascii() and name.isprintable() and len(name) <= MAX_NAME:
        return name
    long = len(name) > MAX_NAME
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    shown = "".join(_shown(letter) for letter in name[:MAX_NAME])
    if not long and len(shown) <= MAX_NAME:
        return shown
    return f"{shown[: MAX_NAME - 13]}~{digest}"


def _shown(letter: str) -> str:
    if letter in _TURNING or unicodedata.category(letter) in _UNSAFE:
        return letter.encode("unicode_escape", "surrogatepass").decode()
    return letter
