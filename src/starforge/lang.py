"""The language of this process, and texts in it. Standard library only.

Apart from :mod:`starforge.i18n` so that ``sf --help`` starts without loading anything.
The language is chosen once per process: ``--lang``, then ``SF_LANG``, then the locale.
"""

from __future__ import annotations

import os
from typing import Literal

Lang = Literal["en", "zh"]

_chosen: Lang | None = None


def normalize_lang(value: str) -> Lang:
    """Map a locale or language tag (``zh_CN.UTF-8``, ``zh-Hans``, ``en``) to a language."""
    return "zh" if value.lower().startswith("zh") else "en"


def set_lang(lang: Lang | None) -> None:
    """Choose the language of this process; ``None`` goes back to the environment's."""
    global _chosen  # noqa: PLW0603 - one process, one language
    _chosen = lang


def current_lang() -> Lang:
    """Return the language of this process."""
    if _chosen is not None:
        return _chosen
    for name in ("SF_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(name)
        if value:
            return normalize_lang(value)
    return "en"


def t(en: str, zh: str, **args: object) -> str:
    """Return one of two texts in the language of this process, with ``{fields}`` filled."""
    text = zh if current_lang() == "zh" else en
    return text.format(**args) if args else text
