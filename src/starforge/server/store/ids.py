"""Ids of jobs: ten characters that sort by time and are easy to read out."""

from __future__ import annotations

import secrets

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # no i, l, o, u: nothing to mix up
LENGTH = 10
EPOCH = 1_704_067_200  # 2024-01-01; 40 bits of milliseconds last until 2058


def make(now: float) -> str:
    """Return an id for the time ``now``: 40 bits of milliseconds, 10 of chance."""
    millis = max(0, int((now - EPOCH) * 1000)) & ((1 << 40) - 1)
    number = (millis << 10) | secrets.randbelow(1 << 10)
    digits = ""
    for _ in range(LENGTH):
        number, digit = divmod(number, 32)
        digits = ALPHABET[digit] + digits
    return digits
