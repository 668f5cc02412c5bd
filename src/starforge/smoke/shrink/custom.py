"""A script of one's own: it runs as it is, and is told so."""

from __future__ import annotations

from starforge.smoke.shrink.sizes import STEPS, Shrunk, Sizes


def shrink(sizes: Sizes) -> Shrunk:
    """Return that the script is stopped once it has reported two steps."""
    return sizes.done(mode="script", steps=STEPS)
