"""Sizes of parallelism that fit a number of devices."""

from __future__ import annotations

from starforge.i18n import Text


def fitting_sizes(name: str, devices: int) -> Text:
    """Return the hint that lists every size of ``name`` that divides ``devices``."""
    sizes = [str(n) for n in range(1, devices + 1) if devices % n == 0]
    if len(sizes) == 1:
        return Text(f"set `{name}: 1`, or ask for more GPUs in `resources`",
                    f"请设 `{name}: 1`，或在 `resources` 中申请更多 GPU")  # fmt: skip
    english, chinese = ", ".join(sizes), "、".join(sizes)
    return Text(f"with {devices} GPUs `{name}` can be {english}; or change `resources`",
                f"{devices} 张 GPU 时 `{name}` 可取 {chinese}；也可调整 `resources`")  # fmt: skip
