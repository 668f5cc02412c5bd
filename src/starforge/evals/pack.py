"""A benchmark pack: one ``pack.yaml`` and, when it brings its own items, their file.

A pack says what is asked (data), how it is asked and scored (``task``: fields of an lm-eval
task), and which number counts (``primary``). It may instead, or besides, name one of
lm-eval's own tasks whose data lie on a hub (``hub``).
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, Literal

import msgspec
import yaml

from starforge.errors import StarForgeError
from starforge.i18n import Text

PACK_FILE = "pack.yaml"
NAME = re.compile(r"[A-Za-z0-9一-鿿][A-Za-z0-9一-鿿._-]*")

# What the driver fills in itself: where the rows lie and what the task is called.
_OURS = frozenset({
    "task", "group", "dataset_path", "dataset_name", "dataset_kwargs", "test_split",
    "validation_split", "training_split", "fewshot_split", "custom_dataset", "include",
})  # fmt: skip


class Primary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The number that stands for the benchmark: a metric and the filter it is taken after."""

    metric: str
    filter: str = "none"


class Hub(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One of lm-eval's own tasks (or groups), and the hub dataset it loads."""

    task: str
    dataset: str


class Evalscope(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What evalscope needs to know of a pack.

    ``dataset`` is one of evalscope's own benchmarks and ``hub`` the data set it loads.
    ``question`` says how a multiple-choice item of the pack's own reads without its options,
    which evalscope lists itself (otherwise ``task.doc_to_text``).
    """

    dataset: str | None = None
    hub: str | None = None
    question: str | None = None


class Generated(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Items made by a generator of ``evals.generators``; ``options`` are its arguments."""

    generator: str
    seed: int
    items: int
    options: dict[str, Any] = {}


class PackData(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The pack's own items: a file of JSON lines beside ``pack.yaml``, or a generator."""

    test: str | Generated


class Pack(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A loaded pack. ``digest`` covers everything that may change a score."""

    name: str
    version: str
    title: Text
    description: Text
    licence: str
    provenance: Text
    primary: Primary
    items: int | None = None
    languages: list[str] = []
    columns: list[str] = []
    task: dict[str, Any] | None = None
    data: PackData | None = None
    hub: Hub | None = None
    evalscope: Evalscope | None = None
    executes_code: bool = False
    folder: Path | None = None
    source: Literal["bundled", "lab"] = "bundled"
    digest: str = ""

    @property
    def data_file(self) -> Path | None:
        """The file of the pack's own items, when it has one."""
        if self.data is None or isinstance(self.data.test, Generated) or self.folder is None:
            return None
        return self.folder / self.data.test

    def digest_for(self, harness: str) -> str:
        """Return the digest of what a harness reads of the pack."""
        if harness != "evalscope" or self.evalscope is None:
            return self.digest
        both = [self.digest, self.evalscope]
        return hashlib.sha256(msgspec.json.encode(both, order="sorted")).hexdigest()

    @property
    def takes_rows(self) -> bool:
        """Whether the experiment may bring the items itself, as ``data.test``."""
        return self.task is not None and self.data is None


def load_pack(folder: Path, source: Literal["bundled", "lab"] = "lab") -> Pack:
    """Load ``folder/pack.yaml``; raises :class:`StarForgeError` saying what is wrong with it."""
    file = folder / PACK_FILE
    try:
        raw = yaml.load(file.read_bytes(), Loader=yaml.CSafeLoader)
    except FileNotFoundError as error:
        raise broken(file, "there is no such file", "文件不存在") from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise broken(file, reason, reason) from error
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise broken(file, f"it is not YAML: {reason}", f"不是合法的 YAML：{reason}") from error
    if not isinstance(raw, dict):
        raise broken(file, "it must be a mapping", "顶层必须是映射（键: 值）")
    for ours in ("folder", "source", "digest"):
        if ours in raw:
            raise broken(file, f"unknown key `{ours}`", f"未知的键 `{ours}`")
    if isinstance(raw.get("version"), int | float):
        raw["version"] = str(raw["version"])
    try:
        pack = msgspec.convert(raw, Pack)
    except msgspec.ValidationError as error:
        raise broken(file, str(error), str(error)) from error
    _check(file, pack, folder)
    return msgspec.structs.replace(pack, folder=folder, source=source, digest=_digest(pack))


def _check(file: Path, pack: Pack, folder: Path) -> None:
    if not NAME.fullmatch(pack.name):
        raise broken(file, f"`{pack.name}` is not a name", f"`{pack.name}` 不能用作名称")
    if pack.name != folder.name:
        raise broken(
            file,
            f"its name is `{pack.name}`, its folder's `{folder.name}`: they must be equal",
            f"name 是 `{pack.name}`，文件夹却叫 `{folder.name}`，两者必须一致",
        )
    theirs = pack.evalscope.dataset if pack.evalscope else None
    if pack.task is None and pack.hub is None and theirs is None:
        raise broken(
            file, "give `task` (your own), `hub` (one of lm-eval's) or `evalscope.dataset`",
            "需要 `task`（自定义任务）、`hub`（lm-eval 自带的任务）或 `evalscope.dataset`",
        )  # fmt: skip
    if pack.data is not None and pack.task is None:
        raise broken(file, "`data` needs a `task` that says how to ask and score",
                     "有 `data` 就必须有 `task` 来说明如何提问和评分")  # fmt: skip
    for key in sorted(_OURS & (pack.task or {}).keys()):
        raise broken(file, f"`task.{key}` is filled in by StarForge; give the items as `data.test`",
                     f"`task.{key}` 由 StarForge 填写；题目请写在 `data.test`")  # fmt: skip
    test = pack.data.test if pack.data else None
    if isinstance(test, str) and (Path(test).is_absolute() or ".." in Path(test).parts):
        raise broken(file, "`data.test` must lie in the pack's folder",
                     "`data.test` 必须位于该评测包的文件夹内")  # fmt: skip


def _digest(pack: Pack) -> str:
    """Cover how it is asked and scored. The items have a digest of their own."""
    behaviour = [pack.name, pack.version, pack.task, pack.data, pack.hub, pack.primary]
    return hashlib.sha256(msgspec.json.encode(behaviour, order="sorted")).hexdigest()


def broken(file: Path, en: str, zh: str) -> StarForgeError:
    """Return the error for a pack file that can't be used."""
    return StarForgeError(
        "eval/broken-pack",
        Text(f"{file}: {en}", f"{file}：{zh}"),
        Text("see docs/en/benchmarks.md for the form of a pack",
             "评测包的写法见 docs/zh/benchmarks.md"),
    )  # fmt: skip
