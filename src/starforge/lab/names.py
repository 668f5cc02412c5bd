"""Names of files in a bundle: which mean the same everywhere, and which get in each other's way."""

from __future__ import annotations

import unicodedata

MAX_PATH = 1024
"""Bytes of the longest path in a bundle."""
MAX_PART = 255
"""Bytes of the longest name of a file or folder, as file systems have it."""


def is_plain_name(name: str) -> bool:
    """Say whether a relative POSIX path means the same on every machine."""
    try:
        size = len(name.encode("utf-8"))
    except UnicodeEncodeError:
        return False
    parts = name.split("/")
    odd = "\\" in name or any(unicodedata.category(letter) == "Cc" for letter in name)
    long = any(len(part.encode("utf-8")) > MAX_PART for part in parts)
    return 0 < size <= MAX_PATH and not odd and not long and not {"", ".", ".."} & {*parts}


class Names:
    """The names of one bundle so far.

    Names that differ only in case or in their Unicode form are one file on many machines,
    and a name can't be both a file and a folder.
    """

    def __init__(self) -> None:
        self._spelled: dict[str, str] = {}
        self._folders: set[str] = set()
        self._files: set[str] = set()

    def add(self, name: str, *, folder: bool = False) -> str | None:
        """Add a name with its folders; return the earlier one it clashes with, if any."""
        above = [name[:at] for at, letter in enumerate(name) if letter == "/"]
        for path in (*above, name):
            known = self._spelled.setdefault(_key(path), path)
            is_file = path == name and not folder
            if known != path or path in self._files or (is_file and path in self._folders):
                return known
            (self._files if is_file else self._folders).add(path)
        return None


def _key(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())
