"""What runtimes there are: names, devices, locks and what proves that one works."""

from __future__ import annotations

import difflib
import hashlib
import re
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

import msgspec

from starforge.errors import StarForgeError
from starforge.i18n import Text

Device = Literal["cpu", "cuda"]
DEVICES: tuple[Device, ...] = ("cpu", "cuda")

GIB = 1 << 30
_DIRECTIVE = "#:"
_PIN = re.compile(r"^(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)==(?P<version>\S+)$")


class Pinned(msgspec.Struct, frozen=True):
    """One package of a lock at its exact version."""

    name: str
    version: str


class LockStep(msgspec.Struct, frozen=True):
    """Packages that one run of pip installs, with the options and environment it needs."""

    packages: list[Pinned]
    options: list[str] = []
    env: dict[str, str] = {}


class Runtime(msgspec.Struct, frozen=True, kw_only=True):
    """A runtime of the product. ``size`` is about what it takes on disk, in bytes.

    ``download`` is about what pip fetches for that when its cache has nothing of it, in bytes.
    ``imports`` are modules that must import for the runtime to be of use.
    """

    name: str
    device: Device
    title: Text
    lock: str
    digest: str
    imports: list[str]
    size: int
    download: int = 0

    @property
    def packages(self) -> list[Pinned]:
        """What is installed in the end: of a package in several steps, the last version."""
        last = {normalized(one.name): one for step in self.steps for one in step.packages}
        return list(last.values())

    @property
    def steps(self) -> list[LockStep]:
        """The runs of pip that build it, in order."""
        return parse_lock(self.lock)

    @property
    def folder(self) -> str:
        """The name of the folder a build of this lock lies in."""
        return f"{self.name}-{self.device}-{self.digest[:12]}"


class _Known(msgspec.Struct, frozen=True):
    title: Text
    imports: list[str]
    size: dict[Device, int]
    # Summed from pip's log of a build for the CPU. A CUDA runtime is mostly torch's and
    # NVIDIA's libraries, of which a wheel packs about half.
    download: dict[Device, int]


_KNOWN: dict[str, _Known] = {
    "trl": _Known(
        Text("TRL 1.10.0: training with TRL", "TRL 1.10.0：用 TRL 训练"),
        ["torch", "transformers", "datasets", "peft", "trl", "tensorboard"],
        {"cpu": int(1.6 * GIB), "cuda": 8 * GIB},
        {"cpu": int(0.4 * GIB), "cuda": 4 * GIB},
    ),
    "verl": _Known(
        Text("verl 0.9.0 with vLLM: training with verl", "verl 0.9.0 与 vLLM：用 verl 训练"),
        ["torch", "transformers", "datasets", "ray", "tensordict", "verl.trainer.main_ppo"],
        {"cpu": int(4.1 * GIB), "cuda": 14 * GIB},
        {"cpu": int(1.1 * GIB), "cuda": 7 * GIB},
    ),
    "openrlhf": _Known(
        Text(
            "OpenRLHF 0.11.0 with vLLM: training with OpenRLHF",
            "OpenRLHF 0.11.0 与 vLLM：用 OpenRLHF 训练",
        ),
        ["torch", "transformers", "datasets", "ray", "deepspeed"],
        {"cpu": int(4.1 * GIB), "cuda": 14 * GIB},
        {"cpu": int(1.1 * GIB), "cuda": 7 * GIB},
    ),
    "evalkit": _Known(
        Text(
            "lm-eval 0.4.13 and evalscope 1.14.1: benchmarks",
            "lm-eval 0.4.13 与 evalscope 1.14.1：评测",
        ),
        [
            "torch",
            "transformers",
            "datasets",
            "lm_eval",
            "evalscope",
            "langdetect",
            "immutabledict",
        ],
        {"cpu": int(2.2 * GIB), "cuda": 8 * GIB},
        {"cpu": int(0.5 * GIB), "cuda": 4 * GIB},
    ),
}


# Frameworks that are no packages: they run in an image or an environment of the user's.
_OUTSIDE = {"nemo-rl": "0.7.0"}


def names() -> list[str]:
    """Return the names of all runtimes that can be built."""
    return sorted(_KNOWN)


def specs() -> list[Runtime]:
    """Return every runtime for every device."""
    return [get_spec(name, device) for name in names() for device in DEVICES]


@cache
def get_spec(name: str, device: str) -> Runtime:
    """Return one runtime; raises :class:`StarForgeError` for a name there is none of."""
    known = _KNOWN.get(name)
    if known is None:
        raise _unknown_name(name)
    for one in DEVICES:
        if one == device:
            lock = resources.files(__package__).joinpath("locks", f"{name}-{one}.txt")
            text = lock.read_text("utf-8")
            digest = hashlib.sha256(text.encode()).hexdigest()
            return Runtime(
                name=name, device=one, title=known.title, lock=text, digest=digest,
                imports=known.imports, size=known.size[one], download=known.download[one],
            )  # fmt: skip
    listed = ", ".join(DEVICES)
    raise StarForgeError(
        "runtime/unknown-device",
        Text(f"there is no device `{device}`", f"没有名为 `{device}` 的设备"),
        Text(f"known devices: {listed}", f"可用的设备：{listed}"),
    )


def _unknown_name(name: str) -> StarForgeError:
    if normalized(name) in _OUTSIDE:
        return _built_elsewhere(normalized(name))
    near = difflib.get_close_matches(name, names(), n=1, cutoff=0.5)
    listed = ", ".join(names())
    hint = Text(f"known runtimes: {listed}", f"已有的运行环境：{listed}")
    if near:
        hint = Text(f"did you mean `{near[0]}`? {hint.en}", f"是不是想写 `{near[0]}`？{hint.zh}")
    message = Text(f"there is no runtime `{name}`", f"没有名为 `{name}` 的运行环境")
    return StarForgeError("runtime/unknown", message, hint, status=404)


def _built_elsewhere(name: str) -> StarForgeError:
    return StarForgeError(
        "runtime/elsewhere",
        Text(f"`{name}` is not built here: {_OUTSIDE[name]} runs in upstream's image, or in a "
             "checkout of it with its own environment",
             f"`{name}` 不在这里构建：{_OUTSIDE[name]} 在官方镜像中运行，"
             "或在带有自己环境的源码目录中运行"),
        Text(f"name its interpreter in <home>/catalog/runtimes.yaml (`{name}: {{python: ...}}`) or "
             f"use deploy/docker/Dockerfile.{name}; see docs/en/frameworks/{name}.md",
             f"请在 <home>/catalog/runtimes.yaml 中写明它的解释器（`{name}: {{python: ...}}`），"
             f"或使用 deploy/docker/Dockerfile.{name}；详见 docs/zh/frameworks/{name}.md"),
        status=404,
    )  # fmt: skip


def lock_digest(name: str, device: str) -> str:
    """Return the sha256 of a runtime's lock; of its version, when it is built elsewhere."""
    if name in _OUTSIDE:
        return hashlib.sha256(f"{name}=={_OUTSIDE[name]} {device}".encode()).hexdigest()
    return get_spec(name, device).digest


def parse_lock(text: str) -> list[LockStep]:
    """Return the steps of a lock; every line is ``name==version``, a comment or a directive.

    ``#: pip OPTIONS`` begins a step that pip installs with these options;
    ``#: env NAME=VALUE ...`` sets the environment of the step it stands in.
    """
    steps = [LockStep([])]
    for line in text.splitlines():
        if line.startswith(_DIRECTIVE):
            word, *rest = line.removeprefix(_DIRECTIVE).split()
            if word == "pip":
                steps.append(LockStep([], options=rest))
            elif word == "env":
                steps[-1].env.update(dict(one.split("=", 1) for one in rest))
            else:
                raise ValueError(f"not a directive of a lock: {line!r}")
            continue
        stripped = line.partition("#")[0].strip()
        if not stripped:
            continue
        match = _PIN.match(stripped)
        if match is None:
            raise ValueError(f"not an exact pin: {line!r}")
        steps[-1].packages.append(Pinned(match["name"], match["version"]))
    return [step for step in steps if step.packages]


def normalized(name: str) -> str:
    """Return a package name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def detect_device() -> Device:
    """Return ``cuda`` when this machine has an NVIDIA GPU, else ``cpu``."""
    gpus = Path("/proc/driver/nvidia/gpus")
    try:
        found = any(gpus.iterdir()) or any(Path("/dev").glob("nvidia[0-9]*"))
    except OSError:
        found = any(Path("/dev").glob("nvidia[0-9]*"))
    return "cuda" if found else "cpu"
