"""Launches of OpenRLHF: flags of its argparse entries, today's and those of earlier versions."""

from __future__ import annotations

from typing import Any

from starforge.catalog.load import Catalog
from starforge.catalog.models import ContractConfig, Recipe
from starforge.catalog.types import parse_type
from starforge.convert.importing import reasons
from starforge.convert.importing.argparse_words import Flag, flags
from starforge.convert.importing.find import launcher_gpus, launcher_nodes
from starforge.convert.importing.model import (
    DataRef,
    Launch,
    Note,
    RewardRef,
    Setting,
    Upstream,
    no_method,
)
from starforge.convert.importing.openrlhf_gpus import gpus_of
from starforge.i18n import Text

ESTIMATORS = {
    "gae": "openrlhf/ppo", "group_norm": "openrlhf/grpo", "dr_grpo": "openrlhf/grpo",
    "reinforce_baseline": "openrlhf/reinforce-baseline",
}  # fmt: skip
_ENTRIES = {"train_sft": "openrlhf/sft", "train_dpo": "openrlhf/dpo", "train_rm": "openrlhf/rm"}
# Flags of earlier versions that today's recipes don't map by themselves.
_OLD = {
    "pretrain": "MODEL", "reward_pretrain": "reward.model_name_or_path",
    "critic_pretrain": "critic.model_name_or_path", "remote_rm_url": "reward.remote_url",
    "dataset": "data.dataset", "prompt_data": "data.prompt_dataset",
    "eval_dataset": "eval.dataset", "input_key": "data.input_key",
    "output_key": "data.output_key", "label_key": "data.label_key",
    "prompt_key": "data.prompt_key", "chosen_key": "data.chosen_key",
    "rejected_key": "data.rejected_key", "dataset_probs": "data.dataset_probs",
    "prompt_data_probs": "data.prompt_probs", "dataset_split": "data.dataset_split",
    "advantage_estimator": "algo.advantage.estimator",
    "critic_learning_rate": "critic.adam.lr", "value_clip": "critic.value_clip",
    "freezing_actor_steps": "critic.freezing_steps", "beta": "model.beta",
    "vllm_sync_backend": "vllm.sync_backend",
    **{f"{role}_num_gpus_per_node": f"{role}.num_gpus_per_node"
       for role in ("actor", "ref", "critic", "reward")},
    **{f"{role}_num_nodes": f"{role}.num_nodes" for role in ("actor", "ref", "critic", "reward")},
}  # fmt: skip
# Switches that became words: flag -> key and value.
_WORDS: dict[str, list[tuple[str, Any]]] = {
    "bf16": [("ds.param_dtype", "bf16")],
    "flash_attn": [("ds.attn_implementation", "flash_attention_2")],
    "ref_reward_offload": [("ref.offload", True), ("reward.offload", True)],
}
_MOOT = {
    "ckpt.output_dir": reasons.OUTPUT, "ckpt.path": reasons.OUTPUT, "save_path": reasons.OUTPUT,
    "ckpt_path": reasons.OUTPUT, "ckpt.load_enable": reasons.RESUME,
    "load_checkpoint": reasons.RESUME, "logger.tensorboard_dir": reasons.LOGGING,
    "use_tensorboard": reasons.LOGGING, "logger.wandb": reasons.LOGGING,
    "use_wandb": reasons.LOGGING, "wandb_org": reasons.LOGGING, "wandb_group": reasons.LOGGING,
    "wandb_project": reasons.LOGGING, "wandb_run_name": reasons.LOGGING,
    "local_rank": reasons.LAUNCHER, "eval.split": reasons.SPLIT, "eval_split": reasons.SPLIT,
    "data.dataset_split": reasons.SPLIT, "data.prompt_split": reasons.SPLIT,
    "prompt_split": reasons.SPLIT,
}  # fmt: skip
_DERIVED = ("vllm.num_engines", "actor.num_gpus_per_node", "ref.num_gpus_per_node",
            "critic.num_gpus_per_node", "reward.num_gpus_per_node")  # fmt: skip


def read(launch: Launch, catalog: Catalog) -> Upstream:
    """Return what the launch sets. Raises :class:`StarForgeError` when no method runs it."""
    entry = launch.entry.removesuffix(".py").rpartition(".")[2]
    reinforced = entry in ("train_ppo_ray", "train_ppo")
    if not reinforced and entry not in _ENTRIES:
        listed = ", ".join([*_ENTRIES, "train_ppo_ray"])
        raise no_method("OpenRLHF", entry, Text(f"methods exist for {listed}",
                                                f"已有方法支持：{listed}"))  # fmt: skip
    recipe = catalog.recipe("openrlhf/ppo" if reinforced else _ENTRIES[entry])
    reader = _Reader(recipe, catalog.contract(recipe).configs[recipe.config])
    upstream = Upstream(method=recipe.name, settings=reader.settings(launch), notes=reader.notes,
                        moot=dict(_MOOT), folder=launch.folder)  # fmt: skip
    if reinforced:
        _reinforced(upstream)
    else:
        model = upstream.take("MODEL")
        upstream.model = upstream.take("model.model_name_or_path", model)
        upstream.gpus = launcher_gpus(launch)
    upstream.data = _data(upstream, recipe)
    nodes = launcher_nodes(launch)
    if nodes > 1:
        upstream.notes.append(Note(kind="lost", what=f"nnodes={nodes}", why=reasons.ONE_MACHINE))
    return upstream


class _Reader:
    """Reads flags as this version's argparse does, and knows older names."""

    def __init__(self, recipe: Recipe, config: ContractConfig) -> None:
        self.config = config
        self.notes: list[Note] = []
        self.renamed = {one.old: one.new for one in recipe.renamed if one.new is not None}

    def settings(self, launch: Launch) -> list[Setting]:
        found: list[Setting] = []
        for flag in flags(launch.args):
            found += self._flag(flag)
        return _summed_lengths(found, self.notes)

    def _flag(self, flag: Flag) -> list[Setting]:
        if not flag.name:
            self._stray(flag.values, flag.line)
            return []
        if flag.name in _WORDS and flag.name not in self.config.keys:
            self._stray(flag.values, flag.line)
            return self._words(flag)
        name = self._full_name(flag.name)
        path = name if name in self.config.keys else _OLD.get(name) or self.renamed.get(name, name)
        if path not in (name, "MODEL"):
            why = Text(f"called `--{path}` in OpenRLHF 0.11", f"在 OpenRLHF 0.11 中名为 `--{path}`")
            self.notes.append(Note(kind="changed", what=f"--{flag.name}", why=why, line=flag.line))
        return [self._setting(path, flag)]

    def _words(self, flag: Flag) -> list[Setting]:
        pairs = [(path, value) for path, value in _WORDS[flag.name] if path in self.config.keys]
        said = ", ".join(f"{path}={value}" for path, value in pairs) or "-"
        why = Text(f"`{said}` in OpenRLHF 0.11", f"在 OpenRLHF 0.11 中写作 `{said}`")
        self.notes.append(Note(kind="changed", what=f"--{flag.name}", why=why, line=flag.line))
        return [Setting(path=path, value=value, line=flag.line) for path, value in pairs]

    def _full_name(self, name: str) -> str:
        """Complete a unique prefix, as argparse does."""
        if name in self.config.keys or name in _OLD or name in self.renamed or name in _MOOT:
            return name
        near = [path for path in self.config.keys if path.startswith(name)]
        return near[0] if len(near) == 1 else name

    def _setting(self, path: str, flag: Flag) -> Setting:
        key = self.config.keys.get(path)
        if key is None:
            value: Any = " ".join(flag.values) if flag.values else True
            return Setting(path=path, value=value, line=flag.line, text=True, name=f"--{flag.name}")
        if key.type == "bool":
            self._stray(flag.values, flag.line)
            return Setting(path=path, value=True, line=flag.line, name=f"--{flag.name}")
        many = any(member.kind == "list" for member in _members(key.type))
        if not many:
            self._stray(flag.values[1:], flag.line)
        value = flag.values if many else (flag.values[0] if flag.values else "")
        return Setting(path=path, value=value, line=flag.line, text=True, name=f"--{flag.name}")

    def _stray(self, words: list[str], line: int) -> None:
        for word in words:
            why = Text("it belongs to no flag", "它不属于任何参数")
            self.notes.append(Note(kind="lost", what=word, why=why, line=line))


def _members(text: str) -> Any:
    expr = parse_type(text)
    return expr.args if expr.kind == "union" else (expr,)


def _summed_lengths(found: list[Setting], notes: list[Note]) -> list[Setting]:
    """Join the two lengths of earlier versions: today's is that of prompt and answer together."""
    prompt = next((s for s in found if s.name in ("--prompt_max_len",)), None)
    answer = next((s for s in found if s.name in ("--generate_max_len",)), None)
    if prompt is None:
        return found
    rest = [one for one in found if one is not prompt]
    if answer is None or not (str(prompt.value).isdigit() and str(answer.value).isdigit()):
        return rest
    total = int(prompt.value) + int(answer.value)
    sum_ = f"{prompt.value} + {answer.value} = {total}"
    why = Text(f"--data.max_len holds both: {sum_}", f"--data.max_len 包含两者：{sum_}")
    notes.append(Note(kind="changed", what=prompt.shown, why=why, line=prompt.line))
    return [*rest, Setting(path="data.max_len", value=total, line=prompt.line)]


def _reinforced(upstream: Upstream) -> None:
    estimator = str(upstream.take("algo.advantage.estimator", "gae"))
    if estimator not in ESTIMATORS:
        near = {"rloo": "verl/rloo, trl/rloo"}.get(estimator, ", ".join(ESTIMATORS))
        raise no_method("OpenRLHF", f"--algo.advantage.estimator {estimator}",
                        Text(f"there is {near}", f"可用：{near}"))  # fmt: skip
    upstream.method = ESTIMATORS[estimator]
    if estimator == "dr_grpo":
        upstream.settings.append(Setting(path="algo.advantage.no_std_norm", value=True))
    model = upstream.take("MODEL")
    upstream.model = upstream.take("actor.model_name_or_path", model)
    critic = upstream.value("critic.model_name_or_path")
    reward = upstream.take("reward.model_name_or_path")
    if critic in (reward or upstream.model, None):
        upstream.taken.add("critic.model_name_or_path")
    upstream.reward = _reward(upstream, reward)
    upstream.gpus, uneven = gpus_of(upstream)
    upstream.taken |= set(_DERIVED) - {"vllm.num_engines"}
    if uneven is not None:
        upstream.notes.append(uneven)


def _reward(upstream: Upstream, model: Any) -> RewardRef | None:
    setting = upstream.last("reward.remote_url")
    upstream.taken.add("reward.remote_url")
    if setting is None:
        return RewardRef(style="model", names=[str(model)]) if model else None
    place = str(setting.value)
    if place.endswith(".py"):
        return RewardRef(style="openrlhf", names=["reward_func"], file=place)
    why = Text("write a reward file that asks this server, and name it as `reward`",
               "请写一个访问该服务的奖励文件，并写在 `reward`")  # fmt: skip
    upstream.notes.append(Note(kind="todo", what=setting.shown, why=why, line=setting.line))
    return None


def _data(upstream: Upstream, recipe: Recipe) -> dict[str, DataRef]:
    columns = _columns(upstream, recipe)
    found = {}
    names = (("train", "data.dataset"), ("train", "data.prompt_dataset"),
             ("validation", "eval.dataset"))  # fmt: skip
    for split, path in names:
        setting = upstream.last(path)
        upstream.taken.add(path)
        if setting is not None:
            sources = [one.strip() for one in str(setting.value).split(",") if one.strip()]
            found[split] = DataRef(sources=sources, columns=columns, line=setting.line)
    return found


def _columns(upstream: Upstream, recipe: Recipe) -> dict[str, str]:
    """Return upstream's column names, each with ours."""
    pairs: tuple[tuple[str, str | None, str], ...]
    if recipe.config in ("dpo", "rm"):
        pairs = (("data.prompt_key", None, "prompt"), ("data.chosen_key", "chosen", "chosen"),
                 ("data.rejected_key", "rejected", "rejected"))  # fmt: skip
    elif recipe.config == "ppo":
        pairs = (("data.input_key", "input", "prompt"), ("data.label_key", None, "answer"))
    else:
        whole = upstream.value("data.output_key") is None
        chat = upstream.value("data.apply_chat_template") or upstream.value("data.multiturn")
        text = bool(upstream.value("model.pretrain_mode_enable"))
        name = "text" if text else "messages" if whole and chat else "prompt"
        pairs = (("data.input_key", "input", name), ("data.output_key", None, "completion"))
    found = {}
    for path, default, ours in pairs:
        column = upstream.take(path, default)
        if column is not None:
            found[str(column)] = ours
    return found
