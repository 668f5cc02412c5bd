"""What is known while a script is read, and the mark of what only running it tells."""

from __future__ import annotations

from pathlib import Path

import msgspec

UNKNOWN, END = "\ue000", "\ue001"  # letters of Unicode's private area: in no real script


class Scope(msgspec.Struct):
    """Variables while a script is read. ``outside`` is where an unset one is looked up."""

    folder: Path
    script: str = "script"
    values: dict[str, str] = {}
    arrays: dict[str, list[str]] = {}
    arguments: list[str] = []
    outside: dict[str, str] = {}
    from_outside: set[str] = set()
    unset: set[str] = set()

    def get(self, name: str) -> str | None:  # noqa: PLR0911 - one return a kind of variable
        """Return a variable's value, ``None`` when it is not set."""
        if name in self.values:
            return self.values[name]
        if name in self.arrays:
            return self.arrays[name][0] if self.arrays[name] else ""
        if name.isdigit():
            if name == "0":
                return self.script
            index = int(name) - 1
            return self.arguments[index] if index < len(self.arguments) else None
        special = {"#": str(len(self.arguments)), "?": "0", "PWD": str(self.folder)}
        if name in special:
            return special[name]
        if name in self.outside:
            self.from_outside.add(name)
            return self.outside[name]
        return None


def unknown(text: str) -> str:
    """Mark a part of a word, as it stands in the script, whose value only running it tells."""
    return f"{UNKNOWN}{text}{END}"


def unknown_in(text: str) -> str | None:
    """Return the command whose output a word holds, if any."""
    start = text.find(UNKNOWN)
    return text[start + 1 :].partition(END)[0] if start >= 0 else None


def readable(text: str) -> str:
    """Write a word with its unknown parts as they stood in the script."""
    return text.replace(UNKNOWN, "").replace(END, "")
