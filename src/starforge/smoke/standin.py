"""The models of a smoke run: tiny ones of the same architecture, vocabulary and tokenizer."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import msgspec

from starforge.engines.local.environ import job_environ
from starforge.errors import StarForgeError
from starforge.home import starforge_home
from starforge.i18n import Text
from starforge.lab.inputs import BUILTIN_MODELS, folder_digest
from starforge.plan import InputRef
from starforge.smoke.tiny_config import tiny_config

TINY = BUILTIN_MODELS[0]
SEEDS = {"model": 20240229, "teacher": 20240301, "reward": 20240302}
SECONDS = 300.0  # importing a framework's packages on a busy machine takes a while
WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".gguf", ".h5", ".msgpack", ".onnx", ".npz")
LARGEST = 256 << 20  # bytes of a file that can still belong to a tokenizer
TOKENIZERS = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json",
              "spiece.model")  # fmt: skip


class StandIn(msgspec.Struct, frozen=True, kw_only=True):
    """The model that is used in the place of another.

    ``kind``: ``stand-in`` (made from the model's config, with its tokenizer), ``relative``
    (made from the config of the model that is trained), ``tiny`` (``starforge:tiny``) or
    ``given`` (``--model``). ``location`` is a folder or ``starforge:tiny``; ``vocabulary``
    and ``context`` are numbers of tokens.
    """

    role: str
    reference: str
    kind: Literal["stand-in", "relative", "tiny", "given"]
    location: str
    vocabulary: int | None = None
    context: int | None = None

    @property
    def exact(self) -> bool:
        """Whether it has the tokenizer of the model it stands for."""
        return self.kind in ("stand-in", "given") or self.reference == TINY

    def ref(self) -> InputRef:
        """Return it as an input of a plan."""
        if self.location == TINY:
            return InputRef(name=self.role, kind="builtin", location=TINY)
        digest = folder_digest(Path(self.location))
        return InputRef(name=self.role, kind="path", location=self.location, digest=digest)


class Maker:
    """Makes stand-ins below ``work`` with the runtime's ``python``."""

    def __init__(self, work: Path, python: str, *, trust: bool = False) -> None:
        self._work = work
        self._python = python
        self._trust = trust

    def make(self, ref: InputRef, like: StandIn | None = None) -> StandIn:
        """Return a stand-in of what ``ref`` names.

        ``like`` is the stand-in of the model that is trained: where a teacher's or reward
        model's own config is not here, theirs has the same architecture. Raises
        :class:`StarForgeError` when the config can't be built or the tokenizer does not fit.
        """
        role, target = ref.name, self._work / ref.name
        scores = role == "reward"
        source = source_of(ref)
        if source is not None:
            return self._copy(source, target, ref, kind="stand-in")
        if like is not None and like.location != TINY:
            return self._copy(Path(like.location), target, ref, kind="relative")
        if not scores:
            return StandIn(role=role, reference=ref.location, kind="tiny", location=TINY,
                           context=2048)  # fmt: skip
        self._build(ref, target, "--tiny", "--scores")
        return StandIn(role=role, reference=ref.location, kind="tiny", location=str(target))

    def _copy(
        self, source: Path, target: Path, ref: InputRef, *, kind: Literal["stand-in", "relative"]
    ) -> StandIn:
        scores = ref.name == "reward"
        config = read_config(source)
        copy_small_files(source, target)
        tiny = tiny_config(config, scores=scores)
        (target / "config.json").write_text(json.dumps(tiny, indent=1) + "\n", "utf-8")
        self._build(ref, target, *(["--scores"] if scores else []))
        return StandIn(
            role=ref.name, reference=ref.location, kind=kind, location=str(target),
            **sizes_of(config),
        )  # fmt: skip

    def _build(self, ref: InputRef, target: Path, *flags: str) -> None:
        drivers = resources.files("starforge.frameworks").joinpath("_drivers")
        script = str(drivers.joinpath("stand_in.py"))
        trust = ["--trust"] if self._trust else []
        argv = [self._python, "-B", script, str(target), str(SEEDS[ref.name]), *flags, *trust]
        env = job_environ() | {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": ""}
        try:
            done = subprocess.run(
                argv, capture_output=True, timeout=SECONDS, check=False, env=env, cwd=self._work
            )
        except subprocess.TimeoutExpired as error:
            raise _failed(ref, f"not finished after {SECONDS:.0f} s") from error
        if done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise _failed(ref, said[-1] if said else f"exit code {done.returncode}")


def given(ref: InputRef, folder: Path) -> StandIn:
    """Return a tiny model that a person gives; raises :class:`StarForgeError` for none."""
    if not (folder / "config.json").is_file():
        raise StarForgeError(
            "smoke/model",
            Text(f"{folder} has no config.json: not a model folder",
                 f"{folder} 里没有 config.json：不是模型目录"),
            Text("give the folder of a small model with its tokenizer, or leave --model out",
                 "请给出带分词器的小模型目录，或去掉 --model"),
        )  # fmt: skip
    return StandIn(
        role=ref.name, reference=ref.location, kind="given", location=str(folder.resolve()),
        **sizes_of(read_config(folder)),
    )  # fmt: skip


def source_of(ref: InputRef) -> Path | None:
    """Return the folder on this machine that holds a model's config and tokenizer, if any."""
    folder: Path | None = None
    if ref.kind == "path":
        folder = Path(ref.location)
    elif ref.kind == "hub":
        folder = _cached(ref.location)
    elif ref.kind == "job" and "@" not in ref.location:
        folder = starforge_home() / "jobs" / ref.location / "output" / "model"
    if folder is None or not (folder / "config.json").is_file():
        return None
    return folder if any((folder / name).is_file() for name in TOKENIZERS) else None


def _cached(hub_id: str) -> Path | None:
    """Return the snapshot of a hub id in the local cache of downloads."""
    home = os.environ.get("HF_HOME") or str(Path.home() / ".cache" / "huggingface")
    cache = Path(os.environ.get("HF_HUB_CACHE") or str(Path(home) / "hub"))
    folder = cache / f"models--{hub_id.replace('/', '--')}"
    try:
        commit = (folder / "refs" / "main").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return folder / "snapshots" / commit


def read_config(folder: Path) -> dict[str, Any]:
    """Return config.json; raises :class:`StarForgeError` when it is none."""
    try:
        found = json.loads((folder / "config.json").read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise StarForgeError(
            "smoke/model",
            Text(f"{folder}/config.json can't be read: {error}",
                 f"无法读取 {folder}/config.json：{error}"),
        ) from error  # fmt: skip
    return found if isinstance(found, dict) else {}


def copy_small_files(source: Path, target: Path) -> None:
    """Copy everything that is not weights: tokenizer, templates, code of the model."""
    target.mkdir(parents=True)
    for path in sorted(source.iterdir()):
        name = path.name
        if path.is_dir() or name.endswith((*WEIGHTS, ".index.json")):
            continue
        if path.stat().st_size <= LARGEST:
            shutil.copyfile(path, target / name)
    templates = source / "additional_chat_templates"
    if templates.is_dir():
        shutil.copytree(templates, target / templates.name)


def sizes_of(config: dict[str, Any]) -> dict[str, Any]:
    """Return ``vocabulary`` and ``context`` as a config says them."""
    text = config.get("text_config")
    both = {**config, **(text if isinstance(text, dict) else {})}
    names = {"vocabulary": ("vocab_size",),
             "context": ("max_position_embeddings", "n_positions", "max_seq_len")}  # fmt: skip
    found: dict[str, Any] = {}
    for key, keys in names.items():
        values = [both[name] for name in keys if isinstance(both.get(name), int)]
        found[key] = values[0] if values else None
    return found


def _failed(ref: InputRef, reason: str) -> StarForgeError:
    return StarForgeError(
        "smoke/stand-in",
        Text(f"no tiny stand-in of {ref.location} could be made: {reason}",
             f"无法为 {ref.location} 制作微型替身：{reason}"),
        Text("if its config and tokenizer are right, give a tiny model with --model FOLDER",
             "如果它的配置和分词器没有问题，请用 --model 目录 给出一个微型模型"),
    )  # fmt: skip
