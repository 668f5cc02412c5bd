"""Find methods by data kind, framework and free text in both languages."""

from __future__ import annotations

from starforge.catalog.load import Catalog, Header


def search(
    catalog: Catalog,
    *,
    data: str | None = None,
    framework: str | None = None,
    text: str | None = None,
) -> list[Header]:
    """Return the methods that fit every given filter, sorted by name.

    ``text`` is split at spaces; each word must occur in the name, the title or the summary
    in either language. ``framework`` may be ``name`` or ``name@version``.
    """
    words = (text or "").lower().split()
    found = []
    for header in catalog.headers():
        if data is not None and header.data != data:
            continue
        if framework is not None and framework not in (
            header.framework,
            f"{header.framework}@{header.version}",
        ):
            continue
        haystack = _haystack(header)
        if all(word in haystack for word in words):
            found.append(header)
    return found


def _haystack(header: Header) -> str:
    texts = (header.title, header.summary)
    parts = [header.name, header.data, *(part for t in texts for part in (t.en, t.zh))]
    return "\n".join(parts).lower()
