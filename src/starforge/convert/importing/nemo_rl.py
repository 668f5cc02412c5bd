"""Launches of NeMo-RL: ``uv run examples/run_grpo.py --config x.yaml key=value``, or the YAML."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import Any

from starforge.catalog.load import Catalog
from starforge.catalog.models import ContractConfig
from starforge.convert.importing import reasons
from starforge.convert.importing.find import flag_value
from starforge.convert.importing.model import (
    DataRef,
    Launch,
    Note,
    RewardRef,
    Setting,
    Upstream,
    no_method,
)
from starforge.convert.importing.trees import Composed, compose
from starforge.convert.importing.verl import overrides
from starforge.convert.shell import Arg
from starforge.i18n import Text

ENTRIES = {
    "run_grpo.py": "grpo", "run_grpo_math.py": "grpo", "run_sft.py": "sft", "run_dpo.py": "dpo",
    "run_ppo.py": "ppo", "run_rm.py": "rm", "run_distillation.py": "distillation",
    "run_distillation_math.py": "distillation",
}  # fmt: skip
LORA = "policy.dtensor_cfg.lora_cfg.enabled"
ESTIMATOR = "grpo.adv_estimator.name"
_MOOT = {
    "checkpointing.checkpoint_dir": reasons.OUTPUT, "logger.log_dir": reasons.OUTPUT,
    "logger.wandb": reasons.LOGGING, "logger.wandb_enabled": reasons.LOGGING,
    "logger.swanlab": reasons.LOGGING, "logger.swanlab_enabled": reasons.LOGGING,
    "logger.mlflow": reasons.LOGGING, "logger.mlflow_enabled": reasons.LOGGING,
    "logger.tensorboard": reasons.LOGGING, "logger.tensorboard_enabled": reasons.LOGGING,
    "cluster.gpus_per_node": reasons.DEVICES,
}  # fmt: skip
_WITHOUT_DATA_SECTIONS = ("data.train", "data.validation", "data.default")


def read(launch: Launch, catalog: Catalog) -> Upstream:
    """Return what the launch sets. Raises :class:`StarForgeError` when no method runs it."""
    section = ENTRIES[launch.entry]
    recipe = catalog.recipe(f"nemo-rl/{section}")
    config = catalog.contract(recipe).configs[recipe.config]
    named = flag_value(launch.args, "--config")
    notes: list[Note] = []
    composed = Composed(settings={}, sections=set(), bases=[], notes=[])
    if named is not None:
        composed = _composed(launch.folder / named, config, notes)
    words = _without_config(launch.args)
    settings = [*composed.settings.values(), *overrides(words, notes)]
    return _upstream(section, settings, composed.sections, notes, launch)


def from_file(path: Path, catalog: Catalog, launch: Launch) -> Upstream:
    """Return what a YAML configuration sets; its sections say which method it is for."""
    every: set[str] = set()
    for name in catalog.names():
        if name.startswith("nemo-rl/"):
            recipe = catalog.recipe(name)
            every |= set(catalog.contract(recipe).configs[recipe.config].keys)
    composed = compose(path, every)
    section = _section(composed, path)
    recipe = catalog.recipe(f"nemo-rl/{section}")
    notes: list[Note] = []
    config = catalog.contract(recipe).configs[recipe.config]
    composed = _composed(path, config, notes)
    return _upstream(section, list(composed.settings.values()), composed.sections, notes, launch)


def _section(composed: Composed, path: Path) -> str:
    """Name the method of a configuration: its own section, else the file it starts from."""
    tops = {one.partition(".")[0] for one in composed.settings}
    for section in ("distillation", "grpo", "ppo", "dpo", "rm", "sft"):
        named = any(PurePosixPath(base).name.startswith(section) for base in composed.bases)
        if section in tops or named:
            return section
    raise no_method("NeMo-RL", f"{path.name}",
                    Text("it has none of the sections grpo, ppo, sft, dpo, rm, distillation",
                         "其中没有 grpo、ppo、sft、dpo、rm、distillation 任何一节"))  # fmt: skip


def _composed(path: Path, config: ContractConfig, notes: list[Note]) -> Composed:
    composed = compose(path, set(config.keys))
    own = PurePosixPath(config.base or "").name
    for base in composed.bases:
        if PurePosixPath(base).name == own:
            continue
        why = Text("this file is not here, so what it sets is missing; copy it beside the others",
                   "这个文件不在本机，其中的设置因此缺失；请把它一并拷来")  # fmt: skip
        notes.append(Note(kind="lost", what=f"defaults: {base}", why=why))
    return composed


def _without_config(args: list[Arg]) -> list[Arg]:
    kept: list[Arg] = []
    skip = False
    for one in args:
        if skip:
            skip = False
        elif one.text == "--config":
            skip = True
        elif not one.text.startswith("--config="):
            kept.append(one)
    return kept


def _upstream(
    section: str, settings: list[Setting], sections: set[str], notes: list[Note], launch: Launch
) -> Upstream:
    upstream = Upstream(method=f"nemo-rl/{section}", settings=settings, sections=sections,
                        notes=notes, moot=dict(_MOOT), folder=launch.folder)  # fmt: skip
    if section == "grpo":
        upstream.method = _grpo(upstream)
    upstream.model = _text(upstream.take("policy.model_name"))
    upstream.teacher = _text(upstream.take("teacher.model_name"))
    for place, model in (("policy", upstream.model), ("teacher", upstream.teacher)):
        name = upstream.value(f"{place}.tokenizer.name")
        if name in (None, model, f"${{{place}.model_name}}"):
            upstream.taken.add(f"{place}.tokenizer.name")
    upstream.reward = _reward(upstream)
    upstream.data = _data(upstream)
    upstream.gpus = int(upstream.take("cluster.gpus_per_node", 1) or 1)
    nodes = upstream.take("cluster.num_nodes", 1)
    if nodes != 1:
        upstream.notes.append(
            Note(kind="lost", what=f"cluster.num_nodes={nodes}", why=reasons.ONE_MACHINE)
        )
    return upstream


def _grpo(upstream: Upstream) -> str:
    if upstream.value(ESTIMATOR) == "maxrl":
        upstream.taken.add(ESTIMATOR)
        return "nemo-rl/maxrl"
    if upstream.value(LORA) is True:
        upstream.taken |= {LORA, "policy.dtensor_cfg._v2"}
        return "nemo-rl/grpo-lora"
    return "nemo-rl/grpo"


def _reward(upstream: Upstream) -> RewardRef | None:
    """Return the reward file of StarForge's own environment; upstream's `math` needs none."""
    file = upstream.take("env.starforge.reward_file")
    if file:
        return RewardRef(style="starforge", names=["reward"], file=str(file))
    default = upstream.value("data.default")
    inside = default.get("env_name") if isinstance(default, dict) else None
    setting = upstream.last("data.default.env_name") or upstream.last("data.env_name")
    name = setting.value if setting else inside
    if name not in (None, "math", "starforge"):
        why = Text("an environment of upstream; write a reward file that judges answers as it does",
                   "这是上游的环境；请写一个以同样方式打分的奖励文件")  # fmt: skip
        line = setting.line if setting else 0
        upstream.notes.append(Note(kind="todo", what=f"env_name={name}", why=why, line=line))
    upstream.taken.add("data.env_name")
    return None


def _data(upstream: Upstream) -> dict[str, DataRef]:
    found = {}
    for split in ("train", "validation"):
        section = _under(upstream, f"data.{split}")
        if split == "train" and not section:
            section = _under(upstream, "data")  # the form of earlier versions
        path = section.get("data_path") or section.get(f"{split}_data_path")
        name = section.get("dataset_name")
        source = path or name
        if source is None:
            continue
        columns = {
            str(section.get(key, default)): ours
            for key, default, ours in _columns(upstream.method)
        }  # fmt: skip
        found[split] = DataRef(sources=[str(source)], columns=columns)
    for one in upstream.settings:
        if any(f"{one.path}.".startswith(f"{prefix}.") for prefix in _WITHOUT_DATA_SECTIONS):
            upstream.taken.add(one.path)
    return found


def _columns(method: str) -> list[tuple[str, str, str]]:
    """Return upstream's key for a column, the column by default, and ours."""
    if method.endswith(("/dpo", "/rm")):
        return [("prompt_key", "prompt", "prompt"), ("chosen_key", "chosen", "chosen"),
                ("rejected_key", "rejected", "rejected")]  # fmt: skip
    if method.endswith("/sft"):
        return [("chat_key", "messages", "messages"), ("input_key", "input", "prompt"),
                ("output_key", "output", "completion")]  # fmt: skip
    return [("input_key", "input", "prompt"), ("output_key", "output", "answer")]


def _under(upstream: Upstream, prefix: str) -> dict[str, Any]:
    """Return what is set below a section, whether as one mapping or key by key."""
    found: dict[str, Any] = {}
    for one in upstream.settings:
        if one.path == prefix and isinstance(one.value, dict):
            found |= one.value
        elif one.path.startswith(f"{prefix}.") and "." not in one.path[len(prefix) + 1 :]:
            found[one.path[len(prefix) + 1 :]] = one.value
            if prefix == "data" and one.path.endswith(("dataset_name", "data_path", "_key")):
                upstream.taken.add(one.path)
    return found


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
