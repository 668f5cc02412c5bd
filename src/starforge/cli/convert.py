"""``sf import`` and ``sf port``: experiments from other tools' launches, and on other stacks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import argument, command, json_option, option
from starforge.cli.complete import complete_experiment, complete_method
from starforge.lang import t

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starforge.catalog.load import Catalog
    from starforge.convert.files import NoteLike
    from starforge.convert.importing.model import Upstream
    from starforge.prepare import Prepared


@command(
    "import",
    (
        "Make an experiment from a working launch of verl, OpenRLHF, TRL or NeMo-RL.\n\nTakes a "
        "shell script, a YAML configuration, or after `--` the command itself. The script is "
        "only read, unless --run is given: then it runs in a temporary copy with everything "
        "that trains replaced by a recorder. What could not be carried over is listed, and "
        "stands in the experiment's README.md.",
        "把一次可用的 verl、OpenRLHF、TRL 或 NeMo-RL 启动变成实验。\n\n可给出 shell 脚本、"
        "YAML 配置，或在 `--` 之后直接写命令。默认只读取脚本；加 --run 时会在临时副本中运行它，"
        "其中所有训练命令都换成只做记录的替身。未能沿用的内容会列出，并写入实验的 README.md。",
    ),
    ("sf import run_grpo.sh", ("read a script", "读取脚本")),
    ("sf import sweep.sh --run --name my-grpo", ("run it with recorders", "用替身运行并记录")),
    (
        "sf import -- trl sft --config sft.yaml --learning_rate 1e-5",
        ("the command itself", "直接给出命令"),
    ),
    context_settings={"ignore_unknown_options": True},
)
@argument(
    "source",
    ("A script or YAML file; or, after `--`, a command.", "脚本或 YAML 文件；或 `--` 之后的命令。"),
    metavar="SCRIPT|YAML|-- ARGV",
    nargs=-1,
    required=True,
    type=click.UNPROCESSED,
)
@option("--name", metavar="NAME", text=("Name of the experiment.", "实验的名字。"))
@option("--run", is_flag=True, text=("Run the script with recorders.", "用替身运行脚本。"))
@option(
    "--method",
    metavar="METHOD",
    shell_complete=complete_method,
    text=("For a YAML that does not say it.", "YAML 没有说明时指定方法。"),
)
@json_option
def import_(
    source: tuple[str, ...], name: str | None, run: bool, method: str | None, as_json: bool
) -> None:
    """JSON is ``{name, folder, method, experiment, params, config, notes, ok, findings}``."""
    from starforge.cli.lab import this_lab
    from starforge.client.catalogs import connected_catalog
    from starforge.convert.importing.source import said
    from starforge.convert.importing.write import assemble, write
    from starforge.prepare import prepare, runtime_digests

    lab = this_lab()
    catalog, _ = connected_catalog()
    file = Path(source[0])
    path = file if file.suffix in (".sh", ".bash", ".yaml", ".yml") else None
    upstream = _read(source, path, catalog, run=run, method=method)
    name = name or _name(path, upstream.method)
    imported = assemble(upstream, catalog, lab.root)
    folder = write(
        imported, upstream, lab, name, catalog, description=said(path, source),
        runtime=runtime_digests(imported.recipe),
    )  # fmt: skip
    prepared = prepare(folder, catalog=catalog)
    found = {
        "experiment": imported.head, "params": imported.placed.params,
        "config": imported.placed.config,
    }  # fmt: skip
    _show(folder, imported.recipe.name, imported.notes, prepared, found, as_json=as_json)


@command(
    "port",
    (
        "Make the same experiment for another stack, by the parameters' common names.\n\nData, "
        "models and reward are kept, and units that differ are converted. What has no "
        "counterpart is listed, and stands in the new experiment's README.md.",
        "把同一个实验换到另一套框架上，依据是参数的统一名称。\n\n数据、模型和奖励保持不变，"
        "单位不同的会换算。没有对应项的会列出，并写入新实验的 README.md。",
    ),
    (
        "sf port my-grpo --to openrlhf/grpo",
        ("named my-grpo-openrlhf", "新实验名为 my-grpo-openrlhf"),
    ),
    ("sf port my-sft --to verl/sft --name sft-2 --json", ("for a script", "供脚本使用")),
)
@argument(
    "experiment",
    ("Name or folder of an experiment.", "实验的名字或文件夹。"),
    metavar="EXP",
    shell_complete=complete_experiment,
)
@option(
    "--to",
    "method",
    metavar="METHOD",
    required=True,
    shell_complete=complete_method,
    text=("The method of the new experiment.", "新实验的方法。"),
)
@option("--name", metavar="NAME", text=("Name of the new experiment.", "新实验的名字。"))
@json_option
def port(experiment: str, method: str, name: str | None, as_json: bool) -> None:
    """JSON is as that of ``sf import``."""
    from starforge.cli.lab import this_lab
    from starforge.client.catalogs import connected_catalog
    from starforge.convert.porting import port_experiment, write_port
    from starforge.lab.lab import find_experiment
    from starforge.prepare import prepare, runtime_digests

    lab = this_lab()
    origin = find_experiment(experiment)
    catalog, _ = connected_catalog()
    ported = port_experiment(prepare(origin, catalog=catalog), origin, method, catalog)
    name = name or f"{origin.name}-{method.partition('/')[0]}"
    folder = write_port(ported, origin, lab, name, catalog, runtime=runtime_digests(ported.recipe))
    prepared = prepare(folder, catalog=catalog)
    found = {"experiment": ported.head, "params": ported.params, "config": ported.config}
    _show(folder, method, ported.notes, prepared, found, as_json=as_json)


def _read(
    source: tuple[str, ...], path: Path | None, catalog: Catalog, *, run: bool, method: str | None
) -> Upstream:
    from starforge.convert.importing import source as reading
    from starforge.convert.importing.record import record_script

    if path is None:
        if run:
            raise click.UsageError(t("--run takes a script", "--run 需要一个脚本"))
        return reading.from_argv(source, Path.cwd(), catalog)
    if not path.is_file():
        raise click.UsageError(t("there is no file {path}", "没有文件 {path}", path=path))
    if path.suffix in reading.YAML:
        return reading.from_yaml(path, catalog, method)
    if run:
        return reading.from_reading(path.name, record_script(path, source[1:]), catalog)
    return reading.from_script(path, catalog, arguments=source[1:], environment=os.environ)


def _name(path: Path | None, method: str) -> str:
    return path.stem.replace(" ", "-") if path else f"imported-{method.replace('/', '-')}"


def _show(
    folder: Path,
    method: str,
    notes: Sequence[NoteLike],
    prepared: Prepared,
    found: dict[str, Any],
    *,
    as_json: bool,
) -> None:
    """Print what was made; exit with 1 when it does not validate yet."""
    from starforge.cli.experiment import show_findings, validation
    from starforge.cli.output import print_json

    name = folder.name
    result = validation(prepared)
    if as_json:
        listed = [
            {"kind": one.kind, "what": one.what, "line": one.line or None,
             "why": {"en": one.why.en, "zh": one.why.zh}}
            for one in notes
        ]  # fmt: skip
        print_json({"name": name, "folder": str(folder), "method": method, **found,
                    "notes": listed, **{k: result[k] for k in ("ok", "findings")}})  # fmt: skip
    else:
        _show_text(folder, method, notes, found)
        show_findings(prepared)
        _show_next(name, ok=bool(result["ok"]))
    if not result["ok"]:
        raise click.exceptions.Exit(1)


def _show_text(folder: Path, method: str, notes: Sequence[NoteLike], found: dict[str, Any]) -> None:
    from starforge.cli.output import say, style
    from starforge.convert.files import TITLES
    from starforge.i18n import current_lang

    say(
        t(
            "created {folder} ({method})",
            "已创建 {folder}（{method}）",
            folder=folder,
            method=method,
        )
    )
    counts = t(
        "{p} parameters, {c} keys of upstream", "{p} 个参数，{c} 个上游的键",
        p=len(found["params"]), c=len(found["config"]),
    )  # fmt: skip
    say(counts)
    for kind, title in TITLES.items():
        chosen = [one for one in notes if one.kind == kind]
        if not chosen:
            continue
        say(style(f"{t(*title)} ({len(chosen)})", bold=True))
        for one in chosen:
            place = t(" (line {n})", "（第 {n} 行）", n=one.line) if one.line else ""
            say(f"  {one.what}{place}: {one.why.pick(current_lang())}")


def _show_next(name: str, *, ok: bool) -> None:
    from starforge.cli.output import note

    if ok:
        note(
            t(
                "next: `sf plan {name} --brief`, then `sf submit {name} --watch`",
                "下一步：`sf plan {name} --brief`，然后 `sf submit {name} --watch`",
                name=name,
            )
        )
    else:
        note(
            t(
                "next: put right what is listed, then `sf validate {name}`",
                "下一步：处理上面列出的问题，然后 `sf validate {name}`",
                name=name,
            )
        )
