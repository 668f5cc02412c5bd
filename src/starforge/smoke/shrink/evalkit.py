"""Benchmarks: two items of each pack, with short answers."""

from __future__ import annotations

from starforge.smoke.shrink.sizes import COMPLETION, Shrunk, Sizes

ITEMS = 2


def shrink(sizes: Sizes) -> Shrunk:
    """Return the settings of a benchmark on two items."""
    sizes.set("limit", ITEMS)
    sizes.at_most("batch_size", ITEMS)
    sizes.set("max_new_tokens", COMPLETION)
    sizes.set("split_over_gpus", False)
    sizes.at_most("bootstrap_rounds", 100)
    return sizes.done(mode="score", steps=0)
