"""Launches of TRL: ``trl sft --config x.yaml``, its scripts, and their flags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starforge.catalog.load import Catalog
from starforge.catalog.models import ContractConfig
from starforge.catalog.types import parse_type
from starforge.convert.importing import reasons
from starforge.convert.importing.argparse_words import flags
from starforge.convert.importing.find import launcher_gpus, launcher_nodes
from starforge.convert.importing.model import (
    DataRef,
    Launch,
    Note,
    RewardRef,
    Setting,
    Upstream,
    no_method,
    show,
)
from starforge.convert.importing.trees import read_tree
from starforge.errors import StarForgeError
from starforge.i18n import Text

METHODS = {
    "sft": "trl/sft", "dpo": "trl/dpo", "grpo": "trl/grpo", "kto": "trl/kto",
    "rloo": "trl/rloo", "reward": "trl/rm", "reward_modeling": "trl/rm",
    "distillation": "trl/opsd",
}  # fmt: skip
_MOOT = {
    "output_dir": reasons.OUTPUT, "overwrite_output_dir": reasons.OUTPUT,
    "logging_dir": reasons.OUTPUT, "report_to": reasons.LOGGING,
    "run_name": reasons.NAMES, "project": reasons.LOGGING, "trackio_space_id": reasons.LOGGING,
    "logging_nan_inf_filter": reasons.LOGGING, "disable_tqdm": reasons.LOGGING,
    "log_completions": reasons.LOGGING, "resume_from_checkpoint": reasons.RESUME,
    "local_rank": reasons.LAUNCHER, "lora_task_type": Text("the method decides it", "由方法决定"),
    "dataset_train_split": reasons.SPLIT, "dataset_test_split": reasons.SPLIT,
    "dataset_streaming": reasons.SPLIT, "streaming": reasons.SPLIT,
}  # fmt: skip
# Names of upstream's None for these that mean the same as the recipe's own value.
_SAME = frozenset({"loss_type", "save_metric"})
_SCRIPT_KEYS = frozenset({"dataset_name", "dataset_config", "datasets", "reward_funcs",
                          "reward_model_name_or_path", "test_split_size"})  # fmt: skip
_PARSERS = ("TrlParser", "HfArgumentParser")


def read(launch: Launch, catalog: Catalog) -> Upstream:
    """Return what the launch sets. Raises :class:`StarForgeError` when no method runs it."""
    entry = launch.entry.removeprefix("trl ")
    if entry not in METHODS:
        listed = ", ".join(METHODS)
        raise no_method("TRL", f"`{entry}`", Text(f"methods exist for {listed}",
                                                  f"已有方法支持：{listed}"))  # fmt: skip
    _check_own(launch)
    recipe = catalog.recipe(METHODS[entry])
    config = catalog.contract(recipe).configs[recipe.config]
    notes: list[Note] = []
    settings = _settings(launch, config, notes)
    upstream = Upstream(method=recipe.name, settings=settings, notes=notes, moot=dict(_MOOT),
                        folder=launch.folder, leave=_SAME)  # fmt: skip
    return _complete(upstream, launch)


def from_tree(method: str, settings: list[Setting], launch: Launch) -> Upstream:
    """Return what a YAML file alone sets, for the method named."""
    upstream = Upstream(method=method, settings=settings, moot=dict(_MOOT),
                        folder=launch.folder, leave=_SAME)  # fmt: skip
    return _complete(upstream, launch)


def _complete(upstream: Upstream, launch: Launch) -> Upstream:
    upstream.model = _text(upstream.take("model_name_or_path"))
    upstream.teacher = _text(upstream.take("teacher_model_name_or_path"))
    upstream.reward = _reward(upstream)
    upstream.data = _data(upstream)
    upstream.gpus = launcher_gpus(launch)
    nodes = launcher_nodes(launch)
    if nodes > 1:
        upstream.notes.append(Note(kind="lost", what=f"nnodes={nodes}", why=reasons.ONE_MACHINE))
    return upstream


def _check_own(launch: Launch) -> None:
    """Refuse a script of the user's own: what it does stands in its code."""
    if launch.script is None:
        return
    code = launch.script.read_text("utf-8", "replace")
    if any(parser in code for parser in _PARSERS):
        return
    raise StarForgeError(
        "import/own-code",
        Text(f"{launch.script.name} is a program of its own: its settings are in its code",
             f"{launch.script.name} 是自己写的程序，设置都在代码里"),
        Text("run it as it is with `sf new NAME --method custom/custom`",
             "用 `sf new 名字 --method custom/custom` 原样运行它"),
    )  # fmt: skip


def _settings(launch: Launch, config: ContractConfig, notes: list[Note]) -> list[Setting]:
    from_file: list[Setting] = []
    found: list[Setting] = []
    for flag in flags(launch.args):
        if not flag.name:
            why = Text("it belongs to no flag", "它不属于任何参数")
            notes.append(Note(kind="lost", what=flag.values[0], why=why, line=flag.line))
            continue
        name = flag.name.replace("-", "_")
        if name == "config" and flag.values:
            from_file = _file(launch.folder / flag.values[0], notes)
            continue
        found.append(_setting(name, flag.values, flag.line, config))
    return from_file + found


def _setting(name: str, values: list[str], line: int, config: ContractConfig) -> Setting:
    off = name.removeprefix("no_")
    if name.startswith("no_") and name not in config.keys and off in config.keys:
        return Setting(path=off, value=False, line=line, name=f"--{name}")
    if not values:
        return Setting(path=name, value=True, line=line, name=f"--{name}")
    many = name in config.keys and any(
        member.kind == "list" for member in _members(config.keys[name].type)
    )
    value: Any = values if many or name == "reward_funcs" else " ".join(values)
    return Setting(path=name, value=value, line=line, text=True, name=f"--{name}")


def _members(text: str) -> Any:
    expr = parse_type(text)
    return expr.args if expr.kind == "union" else (expr,)


def _file(path: Path, notes: list[Note]) -> list[Setting]:
    found = []
    for name, value, line in read_tree(path).top():
        if name == "env" and isinstance(value, dict):
            why = Text("an experiment sets no environment variables", "实验不设置环境变量")
            notes += [Note(kind="lost", what=show(str(k), v), why=why) for k, v in value.items()]
            continue
        found.append(Setting(path=name, value=value, line=line))
    return found


def _reward(upstream: Upstream) -> RewardRef | None:
    functions = upstream.take("reward_funcs")
    model = upstream.take("reward_model_name_or_path")
    if functions:
        names = functions if isinstance(functions, list) else [functions]
        return RewardRef(style="trl", names=[str(one) for one in names])
    return RewardRef(style="model", names=[str(model)]) if model else None


def _data(upstream: Upstream) -> dict[str, DataRef]:
    upstream.taken |= _SCRIPT_KEYS
    mixture = upstream.value("datasets")
    if isinstance(mixture, list):
        return _mixture(upstream, mixture)
    setting = upstream.last("dataset_name")
    if setting is None:
        return {}
    subset = upstream.value("dataset_config")
    name = f"{setting.value}:{subset}" if subset else str(setting.value)
    found = {"train": DataRef(sources=[name], line=setting.line)}
    if upstream.value("eval_strategy", "no") not in ("no", False):
        # The data set's own test split; which file that is, only a person can say.
        found["validation"] = DataRef(sources=[f"{name} (test)"], line=setting.line)
    return found


def _mixture(upstream: Upstream, mixture: list[Any]) -> dict[str, DataRef]:
    sources: list[str] = []
    for one in mixture:
        entry = one if isinstance(one, dict) else {"path": one}
        files = entry.get("data_files")
        if entry.get("path") in ("json", "parquet") and files:
            sources += [str(file) for file in (files if isinstance(files, list) else [files])]
        else:
            sources.append(str(entry.get("path")))
    setting = upstream.last("datasets")
    line = setting.line if setting else 0
    size = upstream.last("test_split_size")
    if size is not None:
        why = Text("cut the rows yourself and name them as `data.validation`",
                   "请自行切分数据，并写在 `data.validation`")  # fmt: skip
        upstream.notes.append(Note(kind="todo", what=size.shown, why=why, line=size.line))
    return {"train": DataRef(sources=sources, line=line)}


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
