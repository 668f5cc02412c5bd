"""Why attempts end, in words."""

from __future__ import annotations

from typing import Any

from starforge.i18n import Text

STOPPED = Text("stopped on request", "已按要求停止")
LOST = Text(
    "the job's runner vanished without a record (killed, or the machine went down); "
    "what was left of its processes was ended",
    "任务的 runner 没有留下记录就消失了（被杀死或机器宕机）；残留的进程已被清理",
)


def lost_text(detail: str) -> Text:
    """Say that a runner was lost, with its last words if there are any."""
    return Text(f"{LOST.en}: {detail}", f"{LOST.zh}：{detail}") if detail else LOST


def ending_text(status: dict[str, Any]) -> Text | None:
    """Return what the runner said of the end, in both languages."""
    en, zh = status.get("message"), status.get("message_zh")
    if not isinstance(en, str) or not en:
        return None
    return Text(en, zh if isinstance(zh, str) and zh else en)
