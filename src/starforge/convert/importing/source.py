"""From a script, an argv or a YAML file to the launch in it, with notes on the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from starforge.catalog.load import Catalog
from starforge.convert.importing import nemo_rl, openrlhf, reasons, trl, verl
from starforge.convert.importing.find import SCRIPTS, Scanned, find_launch, scan
from starforge.convert.importing.model import (
    Launch,
    Note,
    Setting,
    Upstream,
    is_secret,
    show,
)
from starforge.convert.importing.trees import compose, read_tree
from starforge.convert.shell import Arg, Command, Reading, read_script
from starforge.convert.shell.lexer import UnclosedError
from starforge.convert.shell.reader import Skipped
from starforge.convert.shell.scope import readable
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lang import t

YAML = (".yaml", ".yml")
_QUIET = frozenset({"HOME", "USER", "PATH", "PWD", "SHELL"})
_RUNTIME_VARIABLES = (
    "CUDA_", "NCCL_", "RAY_", "VLLM_", "HF_", "WANDB_", "TOKENIZERS_", "PYTHON", "HYDRA_",
    "OMP_", "TORCH_", "SWANLAB_", "TRANSFORMERS_",
)  # fmt: skip
_MARKS = ("verl.trainer", "openrlhf.cli", "trl ", *SCRIPTS)


def from_script(
    path: Path,
    catalog: Catalog,
    *,
    arguments: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Upstream:
    """Read a shell script without running it.

    Raises :class:`StarForgeError` when it can't be read, trains nothing that is known, or
    uses something that no method does.
    """
    try:
        text = path.read_text("utf-8")
        reading = read_script(text, path.absolute().parent, script=str(path),
                              arguments=list(arguments),
                              environment=dict(environment or {}))  # fmt: skip
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, str(error)) from error
    except (UnclosedError, ValueError, RecursionError) as error:
        raise _unreadable(path, str(error)) from error
    return from_reading(path.name, reading, catalog)


def from_reading(name: str, reading: Reading, catalog: Catalog) -> Upstream:
    """Return the launch among the commands that a script comes to."""
    scanned = scan(reading.commands)
    if not scanned.launches:
        raise _nothing_trains(name, reading)
    launch = scanned.launches[0]
    env = {**reading.exported, **launch.env}
    launch = msgspec.structs.replace(launch, env=env)
    upstream = read_launch(launch, catalog)
    upstream.notes += _script_notes(reading, scanned, env)
    return upstream


def from_argv(words: Sequence[str], folder: Path, catalog: Catalog) -> Upstream:
    """Read a launch given word by word."""
    command = Command(args=[Arg(word) for word in words], folder=folder)
    while command.args and "=" in command.args[0].text and "/" not in command.args[0].text:
        name, _, value = command.args[0].text.partition("=")
        command = Command(args=command.args[1:], folder=folder, env={**command.env, name: value})
    launch = find_launch(command)
    if launch is None:
        raise _nothing_trains(" ".join(words[:3]), Reading())
    upstream = read_launch(launch, catalog)
    upstream.notes += _environment_notes(launch.env)
    return upstream


def from_yaml(path: Path, catalog: Catalog, method: str | None = None) -> Upstream:
    """Read a YAML configuration: of NeMo-RL, of TRL (``method`` says which), or of verl."""
    names = set(read_tree(path).mapping)
    launch = Launch(framework="", entry="", args=[], folder=path.absolute().parent)
    if "actor_rollout_ref" in names:
        settings = _tree_settings(path, catalog, "verl/grpo")
        return _verl_tree(launch, "verl.trainer.main_ppo", settings)
    if "model_name_or_path" in names:
        if method is None or not method.startswith("trl/"):
            raise _which_method(path)
        top = [Setting(path=name, value=value, line=line)
               for name, value, line in read_tree(path).top()]  # fmt: skip
        return trl.from_tree(method, top, launch)
    if names & {"policy", "defaults", "grpo", "sft", "dpo", "rm", "ppo", "distillation"}:
        return nemo_rl.from_file(path, catalog, launch)
    raise StarForgeError(
        "import/unknown-yaml",
        Text(f"{path.name} is no configuration of verl, TRL or NeMo-RL",
             f"{path.name} 不是 verl、TRL 或 NeMo-RL 的配置"),
        Text("give the script that uses it", "请给出使用它的脚本"),
    )  # fmt: skip


def _verl_tree(launch: Launch, entry: str, settings: list[Setting]) -> Upstream:
    launch = msgspec.structs.replace(launch, framework="verl", entry=entry)
    return verl.read(launch, settings)


def _tree_settings(path: Path, catalog: Catalog, method: str) -> list[Setting]:
    recipe = catalog.recipe(method)
    keys = set(catalog.contract(recipe).configs[recipe.config].keys)
    composed = compose(path, keys)
    return [one for one in composed.settings.values() if one.path != "hydra"]


def read_launch(launch: Launch, catalog: Catalog) -> Upstream:
    """Let the launch's framework read it."""
    match launch.framework:
        case "verl":
            return verl.read(launch)
        case "openrlhf":
            return openrlhf.read(launch, catalog)
        case "trl":
            return trl.read(launch, catalog)
    return nemo_rl.read(launch, catalog)


def _script_notes(reading: Reading, scanned: Scanned, env: dict[str, str]) -> list[Note]:
    notes = _environment_notes(env)
    for launch in scanned.launches[1:]:
        why = Text("a second launch; import it by itself", "另一次启动，请单独导入")
        notes.append(Note(kind="lost", what=launch.entry, why=why, line=_line(launch.args)))
    for command in scanned.others:
        why = Text("not the training command", "不是训练命令")
        said = readable(" ".join(one.text for one in command.args))[:160]
        notes.append(Note(kind="dropped", what=said, why=why, line=command.line))
    for one in reading.skipped:
        notes.append(_skipped(one))
    for name in sorted(reading.from_outside - _QUIET):
        why = Text("taken from this shell's environment", "取自当前 shell 的环境变量")
        notes.append(Note(kind="changed", what=f"${name}", why=why))
    for name in sorted(reading.unset):
        why = Text(
            "nothing sets this variable; it counts as empty", "没有任何地方设置这个变量，按空值处理"
        )
        notes.append(Note(kind="lost", what=f"${name}", why=why))
    return notes


def _line(args: list[Arg]) -> int:
    return args[0].line if args else 0


def _skipped(one: Skipped) -> Note:
    if one.kind == "function":
        why = Text("a function: what it does is read with --run", "函数：加 --run 才会读取其内容")
    elif one.kind == "source":
        why = Text(
            "another file; with --run what it sets counts", "另一个文件；加 --run 时其设置才生效"
        )
    else:
        why = Text("only running the script tells what happens here: give --run",
                   "这里会发生什么要运行脚本才知道：请加 --run")  # fmt: skip
    return Note(kind="lost", what=f"{one.kind} {one.text[:100]}", why=why, line=one.line)


def _environment_notes(env: Mapping[str, str]) -> list[Note]:
    notes = []
    for name, value in sorted(env.items()):
        what = f"{name}=***" if is_secret(name) else readable(show(name, value))
        if name.startswith(_RUNTIME_VARIABLES):
            why = Text("the runtime sets its own environment", "运行环境会设置自己的环境变量")
            why = reasons.DEVICES if name == "CUDA_VISIBLE_DEVICES" else why
            notes.append(Note(kind="dropped", what=what, why=why))
        else:
            why = Text("an experiment sets no environment variables", "实验不设置环境变量")
            notes.append(Note(kind="lost", what=what, why=why))
    return notes


def _unreadable(path: Path, why: str) -> StarForgeError:
    return StarForgeError(
        "import/unreadable",
        Text(f"{path} can't be read: {why}", f"无法读取 {path}：{why}"),
        Text("give a shell script, a YAML configuration, or the command after `--`",
             "请给出 shell 脚本、YAML 配置，或在 `--` 之后写命令"),
    )  # fmt: skip


def _which_method(path: Path) -> StarForgeError:
    return StarForgeError(
        "import/which-method",
        Text(f"{path.name} is a configuration of TRL, which does not say for which method",
             f"{path.name} 是 TRL 的配置，但没有说明用于哪个方法"),
        Text("add `--method trl/sft` (or the method it is for)",
             "请加上 `--method trl/sft`（或对应的方法）"),
    )  # fmt: skip


def _nothing_trains(name: str, reading: Reading) -> StarForgeError:
    hidden = any(mark in one.text for one in reading.skipped for mark in _MARKS)
    hint = Text(
        "it is launched inside a loop, condition or function: give --run",
        "训练命令在循环、条件或函数里：请加 --run",
    ) if hidden else Text(
        "launches of verl, OpenRLHF, TRL and NeMo-RL are known; other code runs as it is with "
        "`sf new NAME --method custom/custom`",
        "可识别 verl、OpenRLHF、TRL 和 NeMo-RL 的启动；其他代码可用 "
        "`sf new 名字 --method custom/custom` 原样运行",
    )  # fmt: skip
    return StarForgeError(
        "import/no-training",
        Text(f"{name}: no training command was found", f"{name}：没有找到训练命令"),
        hint,
    )


def said(path: Path | None, words: Sequence[str]) -> str:
    """Name where an experiment came from, for its description."""
    origin = path.name if path else " ".join(words[:4])
    return t("imported from {origin}", "导入自 {origin}", origin=origin)
