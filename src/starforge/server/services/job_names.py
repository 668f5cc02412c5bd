"""What a job may be called: any words, as long as they show as one line and fit in a path."""

from __future__ import annotations

import unicodedata

from starforge.errors import StarForgeError
from starforge.i18n import Text

MAX = 200
_TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_UNSEEN = frozenset({"Cc", "Cs", "Zl", "Zp"})


def require_name(name: str) -> str:
    """Return a name that a job may have; StarForgeError ``job/name`` otherwise."""
    why = _problem(name)
    if why is None:
        return name
    shown = "".join(_visible(letter) for letter in name[:60])
    raise StarForgeError(
        "job/name",
        Text(f"a job can't be called `{shown}`: {why.en}", f"任务不能命名为 `{shown}`：{why.zh}"),
        Text(
            "choose another one with --name (or `name` of the request)",
            "请用 --name（或请求中的 `name`）换一个名字",
        ),
        status=422,
    )


def usable_name(text: str) -> str:
    """Make a name of any text, changing only what a name can't hold."""
    kept = "".join("-" if _is_bad(letter) or letter == "/" else letter for letter in text)
    kept = kept[:MAX].strip()
    return f"job-{len(kept)}" if kept in ("", ".", "..") else kept


def _problem(name: str) -> Text | None:
    problems = (
        (not name.strip(), Text("it is empty", "名字为空")),
        (len(name) > MAX, Text(f"it has more than {MAX} characters", f"超过 {MAX} 个字符")),
        (name in (".", ".."), Text("that means a folder", "它表示目录")),
        (name != name.strip(), Text("it begins or ends with space", "首尾有空白")),
        ("/" in name, Text("it holds a slash", "含有斜杠")),
        (any(map(_is_bad, name)), Text("it holds control characters", "含有控制字符")),
    )
    return next((text for is_so, text in problems if is_so), None)


def _is_bad(letter: str) -> bool:
    return letter in _TURNING or unicodedata.category(letter) in _UNSEEN


def _visible(letter: str) -> str:
    return letter.encode("unicode_escape").decode() if _is_bad(letter) else letter
