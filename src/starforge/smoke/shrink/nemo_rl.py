"""NeMo-RL: it has no trainer without a GPU, so its experiments are looked at."""

from __future__ import annotations

from starforge.i18n import Text
from starforge.smoke.shrink.sizes import Shrunk, Sizes

ROWS = 16
_NO_CPU = Text("training itself: NeMo-RL needs a GPU", "训练本身：NeMo-RL 需要 GPU")


def shrink(sizes: Sizes) -> Shrunk:
    """Return that nothing is started."""
    sizes.open.append(_NO_CPU)
    return sizes.done(mode="look", rows=ROWS)
