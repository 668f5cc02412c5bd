"""Uploaded data under the names people gave them, for code that reads files by their endings."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lab.names import is_plain_name
from starforge.server.core import Core


def plain_file(name: str) -> str:
    """Return the last part of a file's name, safe to make a file of."""
    last = PurePosixPath(name.replace("\\", "/")).name
    return last if last and is_plain_name(last) else f"data{PurePosixPath(last).suffix[:10]}"


@contextlib.contextmanager
def named(core: Core, digest: str, name: str) -> Iterator[Path]:
    """Give a blob the name of its file for a while.

    Errors that come out of the block say that name instead of the path here.
    """
    core.blobs.use(digest)  # says so when it is not there
    with tempfile.TemporaryDirectory(prefix="sf-upload-") as temp:
        path = Path(temp) / plain_file(name)
        path.symlink_to(core.blobs.path(digest).absolute())
        with without_folder(path.parent):
            yield path


@contextlib.contextmanager
def without_folder(folder: Path) -> Iterator[None]:
    """Take the name of a temporary folder out of the errors of the block."""

    def plain(text: Text) -> Text:
        start = f"{folder}/"
        return Text(text.en.replace(start, ""), text.zh.replace(start, ""))

    try:
        yield
    except StarForgeError as error:
        error.message = plain(error.message)
        error.hint = plain(error.hint) if error.hint else None
        raise
