"""Texts in the database: kept in both languages, shown in the reader's."""

from __future__ import annotations

import json

from starforge.i18n import Lang, Text


def pack(text: Text | str | None) -> str | None:
    """Turn a text into what a text column holds; plain strings stay as they are."""
    if isinstance(text, Text):
        return json.dumps({"en": text.en, "zh": text.zh}, ensure_ascii=False)
    return text or None


def unpack(stored: str | None, lang: Lang) -> str | None:
    """Return a stored text in ``lang``."""
    if not stored or not stored.startswith('{"en"'):
        return stored
    try:
        value = json.loads(stored)
        return str(value[lang])
    except (ValueError, KeyError, TypeError):
        return stored
