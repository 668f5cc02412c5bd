"""``NAME@VERSION``: one version of a method, from any catalog that is at hand.

At hand are the catalog that is shown (the server's, or this machine's), the one that comes with
this tool, this machine's own, and those of other servers that were used before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Text

if TYPE_CHECKING:
    from starforge.catalog.load import Catalog

Method = dict[str, Any]
BUNDLED = "bundled"


def find_version(written: str, shown: Callable[[str], Method]) -> Method:
    """Return the method that ``NAME``, ``NAME@VERSION`` or ``NAME@bundled`` means.

    ``shown(name)`` returns the method of the catalog that is shown. ``bundled`` is the version
    that comes with this tool, also where another recipe of the same version hides it. Raises
    :class:`StarForgeError` (``catalog/unknown-version``, with what there is) for a version that
    is nowhere.
    """
    name, at, version = written.partition("@")
    if not at:
        return shown(written)
    there: dict[str, Text] = {}
    for where, method in _versions(name, shown):
        if version == method["version"] or (version == BUNDLED and where is _BUNDLED):
            return method
        there.setdefault(str(method["version"]), where)
    if not there:
        return shown(name)  # no such method at all: its error names the nearest ones
    raise _unknown(name, version, there)


_SHOWN = Text("the catalog shown", "当前目录")
_BUNDLED = Text("bundled with this tool: `@bundled`", "本工具自带：`@bundled`")
_MACHINE = Text("this machine's own", "本机自有")
_KEPT = Text("a server used before", "以前用过的服务")


def _versions(name: str, shown: Callable[[str], Method]) -> Iterator[tuple[Text, Method]]:
    """Yield the method of every catalog that has it, with where that is."""
    try:
        yield _SHOWN, shown(name)
    except StarForgeError as error:
        if error.code != "catalog/unknown-method":
            raise
    for where, catalog in _catalogs():
        try:
            if name in catalog.names():
                from starforge.catalog.public import detail

                yield where, detail(catalog.recipe(name))
        except StarForgeError:
            continue  # a broken file of an old catalog is no answer


def _catalogs() -> Iterator[tuple[Text, Catalog]]:
    from starforge.catalog.load import DATA, Catalog, load_catalog
    from starforge.client.catalogs import FOLDER, local_catalog
    from starforge.home import starforge_home

    yield _BUNDLED, load_catalog()
    yield _MACHINE, local_catalog()
    kept = starforge_home() / FOLDER
    for folder in sorted(kept.iterdir()) if kept.is_dir() else ():
        if folder.is_dir() and not folder.name.startswith("."):
            yield _KEPT, Catalog(DATA, folder)


def _unknown(name: str, version: str, there: dict[str, Text]) -> StarForgeError:
    english = ", ".join(f"{name}@{one} ({where.en})" for one, where in there.items())
    chinese = "、".join(f"{name}@{one}（{where.zh}）" for one, where in there.items())
    return StarForgeError(
        "catalog/unknown-version",
        Text(f"there is no version `{version}` of {name} at hand",
             f"这里没有 {name} 的 `{version}` 版本"),
        Text(f"there is {english}; a server of another version shows its own with `sf login`",
             f"现有：{chinese}；用 `sf login` 连接其他版本的服务可查看它的版本"),
        exit_code=ExitCode.NOT_FINE,
    )  # fmt: skip
