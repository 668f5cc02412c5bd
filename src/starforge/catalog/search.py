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
    in either language, or in the name of a parameter or preset, the framework's own name of
    it included. ``framework`` may be ``name`` or ``name@version``.
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
        rest = [word for word in words if word not in _haystack(header)]
        if rest:
            names = _parameter_names(catalog, header.name)
            rest = [word for word in rest if word not in names]
        if not rest:
            found.append(header)
    return found


def _haystack(header: Header) -> str:
    texts = (header.title, header.summary)
    parts = [header.name, header.data, *(part for t in texts for part in (t.en, t.zh))]
    return "\n".join(parts).lower()


def _parameter_names(catalog: Catalog, method: str) -> str:
    recipe = catalog.recipe(method)
    names = [*(p.name for p in recipe.parameters), *(p.path for p in recipe.parameters)]
    return "\n".join([*names, *(preset.name for preset in recipe.presets)]).lower()
