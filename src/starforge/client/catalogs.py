"""The catalog that experiments are prepared with: that of the server they will go to.

A server that was configured elsewhere is asked for its own files, which are kept under
``<home>/catalogs``. The embedded server shares this machine's home, so its catalog is read
from there, whether it runs or not.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starforge.errors import ExitCode, StarForgeError
from starforge.home import starforge_home
from starforge.i18n import Text
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.catalog.load import Catalog
    from starforge.client.embedded import Target

FOLDER = "catalogs"
KEPT = 8  # catalogs of other servers, the newest


def connected_catalog() -> tuple[Catalog, str]:
    """Return the catalog to prepare with, and where it comes from, to be shown.

    A configured server that is out of reach gives this machine's catalog, and says so.
    """
    from starforge.client.embedded import configured

    target = configured()
    if target is not None:
        try:
            return _of_server(target), t("catalog of {url}", "目录来自 {url}", url=target.url)
        except StarForgeError as error:
            if error.exit_code != ExitCode.UNREACHABLE:
                raise
            why = error.message.pick()
            return local_catalog(), t(
                "catalog of this tool ({why})", "目录为本工具自带（{why}）", why=why
            )
    return local_catalog(), t("catalog of this machine", "目录来自本机")


def local_catalog() -> Catalog:
    """Return what this machine's embedded server publishes."""
    from starforge.catalog.load import load_catalog
    from starforge.catalog.publish import publish

    folder = catalog_folder()
    return publish(folder).catalog if folder.is_dir() else load_catalog()


def catalog_folder() -> Path:
    """Return the folder of this machine's own recipes; it need not exist."""
    chosen = os.environ.get("STARFORGE_CATALOG")
    return Path(chosen).expanduser().absolute() if chosen else starforge_home() / "catalog"


def left_out(target: Target) -> dict[str, Any]:
    """Return what a server hides and can't use: ``{hidden: [...], broken: [...]}``."""
    from starforge.client.light import get_json

    found: dict[str, Any] = get_json(target, "/catalog/left-out")
    return found


def _of_server(target: Target) -> Catalog:
    from starforge.catalog.load import DATA, Catalog, load_catalog
    from starforge.client.light import get_json

    answer = get_json(target, "/catalog/files")
    without = frozenset(answer.get("without") or [])
    files = answer.get("files") or {}
    if not files and not without:
        return load_catalog()
    overlay = _kept(str(answer["digest"]), files) if files else None
    return Catalog(DATA, overlay, without)


def _kept(digest: str, files: dict[str, str]) -> Path:
    """Return the folder that holds ``files``, writing it when it is not there yet."""
    root = starforge_home() / FOLDER
    folder = root / digest[:32]
    if folder.is_dir():
        os.utime(folder)
        return folder
    root.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".new-", dir=root))
    try:
        for name, text in files.items():
            path = _inside(fresh, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        fresh.chmod(0o755)
        try:
            fresh.rename(folder)
        except OSError:
            if not folder.is_dir():  # another process was first
                raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    _prune(root)
    return folder


def _inside(folder: Path, name: str) -> Path:
    """Return the place of a file that a server named; never outside of ``folder``."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or path == folder.resolve():
        raise StarForgeError(
            "client/catalog-path",
            Text(f"the server's catalog names a file outside of its folder: {name}",
                 f"服务的目录中有文件指向文件夹之外：{name}"),
        )  # fmt: skip
    return path


def _prune(root: Path) -> None:
    folders = [path for path in root.iterdir() if path.is_dir() and not path.name.startswith(".")]
    for old in sorted(folders, key=lambda path: path.stat().st_mtime)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
