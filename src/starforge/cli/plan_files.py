"""Write a plan down: every file of it, its commands as a script, and itself as JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starforge.errors import StarForgeError
from starforge.i18n import Text

if TYPE_CHECKING:
    from starforge.plan import LaunchPlan, Process
    from starforge.prepare import Prepared


def write_plan(out: Path, prepared: Prepared) -> None:
    """Write ``plan.json``, ``config.json``, ``findings.json``, ``commands.sh`` and ``files/``.

    ``files/`` holds drivers, generated files and the experiment's own; data is named in
    ``plan.json`` by digest only. Raises when ``out`` exists and is not empty.
    """
    assert prepared.plan is not None
    try:
        if out.exists() and any(out.iterdir()):
            raise StarForgeError(
                "plan/out-exists",
                Text(f"{out} exists and is not empty", f"{out} 已存在且不为空"),
                Text("give a new folder to --out", "请给 --out 一个新文件夹"),
            )
        out.mkdir(parents=True, exist_ok=True)
        _write_all(out, prepared, prepared.plan)
    except OSError as error:
        reason = error.strerror or str(error)
        raise StarForgeError(
            "plan/out-unwritable",
            Text(
                f"the plan can't be written to {out}: {reason}", f"无法把计划写入 {out}：{reason}"
            ),
            Text("give a folder you may write to --out", "请给 --out 一个可写的文件夹"),
        ) from error


def _write_all(out: Path, prepared: Prepared, plan: LaunchPlan) -> None:
    from starforge.cli.plan import public_plan
    from starforge.lab.files import RECORD_FILES

    _json(out / "plan.json", public_plan(plan))
    _json(out / "config.json", plan.config)
    _json(out / "findings.json", [finding.to_public() for finding in prepared.findings])
    script = "\n\n".join(_script(process) for process in plan.processes)
    (out / "commands.sh").write_text(script + "\n", encoding="utf-8")
    for file in plan.files:
        if file.content is not None:
            target = out / "files" / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(file.content, encoding="utf-8", newline="")
    for own in prepared.files:
        place = "record/experiment" if own.name in RECORD_FILES else "code"
        target = out / "files" / place / own.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(own.path, target)


def _script(process: Process) -> str:
    from starforge.cli.plan import command_line

    lines = [f"# {process.role} x {process.count}", f'cd "{process.cwd}"']
    lines += [f'export {name}="{_escape(value)}"' for name, value in sorted(process.env.items())]
    return "\n".join([*lines, command_line(process.argv)])


def _escape(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`")


def _json(path: Path, value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=2)
    path.write_text(text + "\n", encoding="utf-8")
