"""Look at a built runtime: does it have what its lock says, and does it import?"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import msgspec

from starforge.i18n import Lang, Text
from starforge.runtimes.registry import (
    InstalledRuntime,
    find,
    folder_size,
    installed_versions,
    not_installed,
)
from starforge.runtimes.spec import Runtime, get_spec, normalized

_TIMEOUT = 300  # seconds for all imports; the first one on a cold disk is slow
_PROBE = """
import importlib, json, platform, sys
found = {"python": platform.python_version(), "imports": {}}
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
        found["imports"][name] = None
    except BaseException as error:
        found["imports"][name] = f"{type(error).__name__}: {error}"
try:
    import torch
    found["cuda"] = torch.cuda.is_available()
    found["gpus"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
except BaseException:
    pass
print("\\n" + json.dumps(found))
"""


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a runtime."""

    what: Text
    package: str | None = None
    wanted: str | None = None
    found: str | None = None


class DoctorReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the doctor found. ``hint`` says how to mend it, ``size`` is its disk use in bytes."""

    name: str
    device: str
    ok: bool
    installed: bool
    path: str | None = None
    python: str | None = None
    cuda: bool | None = None
    gpus: list[str] = []
    packages: int = 0
    size: int | None = None
    problems: list[Problem] = []
    hint: Text | None = None

    def to_public(self, lang: Lang | None = None) -> dict[str, Any]:
        """Return the report as JSON values, texts in one language."""
        known = msgspec.to_builtins(self)
        assert isinstance(known, dict)
        known["problems"] = [
            {**item, "what": problem.what.pick(lang)}
            for item, problem in zip(known["problems"], self.problems, strict=True)
        ]
        known["hint"] = self.hint.pick(lang) if self.hint else None
        return known


def doctor(home: Path, name: str, device: str) -> DoctorReport:
    """Examine a runtime. A missing one is a report too; only an unknown name is an error."""
    spec = get_spec(name, device)
    found = find(home, name, device)
    if found is None:
        error = not_installed(name, device)
        return DoctorReport(
            name=name, device=device, ok=False, installed=False,
            problems=[Problem(what=error.message)], hint=error.hint,
        )  # fmt: skip
    problems = _version_problems(spec, found)
    probe = _probe(found, spec)
    problems += _import_problems(probe, device)
    again = f"sf runtime install {name} --device {device} --force"
    return DoctorReport(
        name=name, device=device, ok=not problems, installed=True, path=str(found.path),
        python=probe.get("python"), cuda=probe.get("cuda"), gpus=probe.get("gpus") or [],
        packages=len(spec.packages), size=folder_size(found.path), problems=problems,
        hint=Text(f"build it again: `{again}`", f"重新构建：`{again}`") if problems else None,
    )  # fmt: skip


def _version_problems(spec: Runtime, found: InstalledRuntime) -> list[Problem]:
    have = installed_versions(found.path)
    problems = []
    for pinned in spec.packages:
        version = have.get(normalized(pinned.name))
        # A local version such as 2.13.0+cpu is a build of the pinned version.
        if version is not None and version.partition("+")[0] == pinned.version.partition("+")[0]:
            continue
        if version is None:
            what = Text(f"{pinned.name} is missing", f"缺少 {pinned.name}")
        else:
            what = Text(f"{pinned.name} is {version}, the lock says {pinned.version}",
                        f"{pinned.name} 的版本是 {version}，锁定的是 {pinned.version}")  # fmt: skip
        problems.append(
            Problem(what=what, package=pinned.name, wanted=pinned.version, found=version)
        )
    return problems


def _probe(found: InstalledRuntime, spec: Runtime) -> dict[str, Any]:
    try:
        done = subprocess.run(
            [str(found.python), "-c", _PROBE, *spec.imports],
            capture_output=True, text=True, errors="replace", timeout=_TIMEOUT, check=False,
            stdin=subprocess.DEVNULL, env=os.environ | {"HF_HUB_OFFLINE": "1"},
        )  # fmt: skip
        answer = json.loads(done.stdout.strip().rpartition("\n")[2])
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return {"broken": str(error)}
    return answer if isinstance(answer, dict) else {"broken": done.stderr[-300:]}


def _import_problems(probe: dict[str, Any], device: str) -> list[Problem]:
    if "broken" in probe:
        reason = probe["broken"]
        what = Text(f"its interpreter does not run: {reason}", f"解释器无法运行：{reason}")
        return [Problem(what=what)]
    problems = [
        Problem(what=Text(f"`import {name}` fails: {reason}", f"`import {name}` 失败：{reason}"),
                package=name)
        for name, reason in probe.get("imports", {}).items()
        if reason
    ]  # fmt: skip
    if device == "cuda" and probe.get("cuda") is False:
        what = Text("torch sees no GPU: the NVIDIA driver is missing or too old, or torch is a "
                    "CPU build",
                    "torch 看不到 GPU：NVIDIA 驱动缺失或过旧，或装的是 CPU 版 torch")  # fmt: skip
        problems.append(Problem(what=what, package="torch"))
    return problems
