"""English and Simplified Chinese texts, and the choice between them.

A server passes the language of each request to :meth:`Text.pick`; everything else uses
the language of the process (:mod:`starforge.lang`).
"""

from __future__ import annotations

import msgspec

from starforge.lang import Lang, current_lang, normalize_lang, set_lang, t

__all__ = ["Lang", "Text", "current_lang", "normalize_lang", "set_lang", "t"]


class Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One text in both languages of the product."""

    en: str
    zh: str

    def pick(self, lang: Lang | None = None) -> str:
        """Return the text in ``lang``, or in the language of this process."""
        return self.zh if (lang or current_lang()) == "zh" else self.en

    def format(self, **args: object) -> Text:
        """Fill ``{name}`` fields in both languages."""
        return Text(en=self.en.format(**args), zh=self.zh.format(**args))
