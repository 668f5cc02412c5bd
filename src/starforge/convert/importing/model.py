"""What is known of an upstream launch, independent of its framework."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Literal

import msgspec

from starforge.convert.shell import Arg
from starforge.errors import StarForgeError
from starforge.i18n import Text

Kind = Literal["dropped", "changed", "lost", "todo"]
_SECRET = re.compile(r"(?:^|[_.\-])(?:token|secret|password|passwd|api_?key|key)$", re.IGNORECASE)
_SHOWN = 160


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """One thing of the launch that is not in the experiment as it was.

    ``dropped``: StarForge does it itself, or it has no effect. ``changed``: carried over under
    another name or value. ``lost``: not carried over although it means something. ``todo``:
    a person has to do something.
    """

    kind: Kind
    what: str
    why: Text
    line: int = 0


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A value that the launch sets. ``text`` marks one that came as a word of a command line."""

    path: str
    value: Any
    line: int = 0
    text: bool = False
    name: str = ""

    @property
    def shown(self) -> str:
        """``key=value`` as the reader knows it, without secrets."""
        return show(self.name or self.path, self.value)


class RewardRef(msgspec.Struct, frozen=True, kw_only=True):
    """Where the launch takes rewards from: functions of a file, or a model.

    ``starforge`` is a file with a function ``reward`` as experiments have it.
    """

    style: Literal["model", "verl", "openrlhf", "trl", "starforge"]
    names: list[str] = []  # a model, or functions
    file: str | None = None
    options: dict[str, Any] = {}  # constants that verl passes to the function


class DataRef(msgspec.Struct, frozen=True, kw_only=True):
    """One split: files or hub ids, and how upstream's columns are called in ours.

    ``form`` is ``verl`` for rows with ``reward_model.ground_truth``, else plain columns.
    """

    sources: list[str]
    columns: dict[str, str] = {}
    form: Literal["plain", "verl"] = "plain"
    line: int = 0


class Upstream(msgspec.Struct, kw_only=True):
    """A launch as a framework's module understood it.

    ``settings`` are in order, later ones win. ``taken`` are paths that became inputs or
    resources; ``moot`` (prefix to reason) are ones that StarForge sees to itself.
    ``leave`` are parameters that keep the recipe's default although upstream's differs.
    """

    method: str
    settings: list[Setting] = []
    model: str | None = None
    teacher: str | None = None
    reward: RewardRef | None = None
    data: dict[str, DataRef] = {}
    gpus: int | None = None
    folder: Path = Path()
    taken: set[str] = set()
    moot: dict[str, Text] = {}
    leave: frozenset[str] = frozenset()
    sections: set[str] = set()  # sections that replace upstream's whole (`_override_`)
    notes: list[Note] = []

    def last(self, path: str) -> Setting | None:
        """Return the setting that wins for ``path``."""
        return next((one for one in reversed(self.settings) if one.path == path), None)

    def value(self, path: str, default: Any = None) -> Any:
        """Return the value that wins for ``path``."""
        found = self.last(path)
        return default if found is None else found.value

    def take(self, path: str, default: Any = None) -> Any:
        """Like :meth:`value`, and mark ``path`` as seen to."""
        self.taken.add(path)
        return self.value(path, default)

    def take_below(self, prefix: str) -> dict[str, Any]:
        """Return what is set below a section, as a mapping or key by key, and mark it."""
        found: dict[str, Any] = {}
        for one in self.settings:
            if one.path == prefix and isinstance(one.value, dict):
                found |= one.value
            elif one.path.startswith(f"{prefix}."):
                found[one.path[len(prefix) + 1 :]] = one.value
            else:
                continue
            self.taken.add(one.path)
        return found


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """A training command that was found: its entry point and the words after it.

    ``entry`` names it (``verl.trainer.main_ppo``, ``trl dpo``, ``run_grpo.py``); ``before``
    are the words of the launcher, ``folder`` is where it would run.
    """

    framework: str
    entry: str
    args: list[Arg]
    before: list[Arg] = []
    folder: Path
    env: dict[str, str] = {}
    script: Path | None = None  # the entry as a file on this machine, if it is one


def show(name: str, value: Any) -> str:
    """Write ``name=value`` on one line, cut, and with ``***`` in place of a secret."""
    if _SECRET.search(name) and value not in (None, "", False, True):
        return f"{name}=***"
    if value is None:
        return name
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    text = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return f"{name}={text}"


def is_secret(name: str) -> bool:
    """Say whether a variable or key is named like a password or token."""
    return _SECRET.search(name) is not None


def no_method(framework: str, what: str, hint: Text) -> StarForgeError:
    """Return the error for a launch that no method of the catalog can run."""
    return StarForgeError(
        "import/no-method",
        Text(f"this {framework} launch uses {what}, for which there is no method",
             f"这次 {framework} 启动使用了 {what}，目录中没有对应的方法"),
        hint,
    )  # fmt: skip
