"""Launches of verl: Hydra overrides for ``main_ppo`` and the supervised trainers."""

from __future__ import annotations

from typing import Any

from starforge.convert.importing import reasons
from starforge.convert.importing.find import launcher_gpus, launcher_nodes
from starforge.convert.importing.hydra import (
    HydraSyntaxError,
    flag_width,
    read_override,
)
from starforge.convert.importing.model import (
    DataRef,
    Launch,
    Note,
    RewardRef,
    Setting,
    Upstream,
    no_method,
)
from starforge.convert.shell import Arg
from starforge.convert.shell.scope import UNKNOWN
from starforge.i18n import Text

ESTIMATORS = {
    "grpo": "verl/grpo", "gae": "verl/ppo", "rloo": "verl/rloo", "remax": "verl/remax",
    "reinforce_plus_plus_baseline": "verl/reinforce-baseline",
}  # fmt: skip
# Keys of earlier versions, with what they are called today.
_MOVED = {
    "custom_reward_function": "reward.custom_reward_function",
    "reward_model.reward_manager": "reward.reward_manager.name",
    "reward_model.reward_kwargs": "reward.reward_kwargs",
    "reward_model.overlong_buffer": "reward.reward_kwargs.overlong_buffer_cfg",
    "reward_model.num_workers": "reward.num_workers",
    "reward_model.model.path": "reward.reward_model.model_path",
    "reward_model.enable": "reward.reward_model.enable",
}
_MOOT = {
    "hydra": reasons.HYDRA,
    "trainer.default_local_dir": reasons.OUTPUT,
    "trainer.default_hdfs_dir": reasons.OUTPUT,
    "trainer.rollout_data_dir": reasons.LOGGING,
    "trainer.validation_data_dir": reasons.LOGGING,
    "trainer.logger": reasons.LOGGING,
    "trainer.resume_mode": reasons.RESUME,
    "trainer.resume_from_path": reasons.RESUME,
    "trainer.device": reasons.DEVICES,
    "ray_kwargs.ray_init.num_gpus": reasons.DEVICES,
    "ray_init.num_cpus": reasons.DEVICES,
    "data.prompt_key": reasons.COLUMNS,
    "data.messages_key": reasons.COLUMNS,
}
_NAMES = ("trainer.project_name", "trainer.experiment_name")
# Upstream has no default for these and needs a value; dynamic batches don't read them.
_NEEDED = frozenset({"batch_size", "logprob_batch_size", "reference_batch_size",
                     "rollout_engine", "critic_batch_size"})  # fmt: skip
_GPUS = 8  # upstream's default of trainer.n_gpus_per_node for reinforcement learning


def read(launch: Launch, under: list[Setting] | None = None) -> Upstream:
    """Return what the launch sets, on top of ``under`` (a configuration file).

    Raises :class:`StarForgeError` when no method runs it.
    """
    notes: list[Note] = []
    settings = [*(under or []), *overrides(launch.args, notes)]
    supervised = "sft" in launch.entry
    upstream = Upstream(method="verl/sft", settings=settings, notes=notes, moot=dict(_MOOT),
                        folder=launch.folder, leave=_NEEDED)  # fmt: skip
    _rename(upstream)
    for path in _NAMES:
        if UNKNOWN in str(upstream.value(path, "")):
            upstream.moot[path] = reasons.NAMES
    if supervised:
        _supervised(upstream, launch)
    else:
        upstream.method = _method(upstream, launch)
        _reinforced(upstream)
    _nodes(upstream, launch)
    return upstream


def overrides(args: list[Arg], notes: list[Note]) -> list[Setting]:
    """Return the overrides among the words; what is none gets a note."""
    found: list[Setting] = []
    skip = 0
    for number, one in enumerate(args):
        if skip:
            skip -= 1
            continue
        width = flag_width(one.text)
        if width:
            words = " ".join(other.text for other in args[number : number + width])
            notes.append(Note(kind="lost", what=words, why=_FLAG, line=one.line))
            skip = width - 1
            continue
        found += _override(one, notes)
    return found


_FLAG = Text("another configuration of upstream; a method has a fixed one",
             "使用了上游的另一份配置；每个方法的配置是固定的")  # fmt: skip
_DELETED = Text("keys can't be taken away here; set it to the value you mean",
                "这里不能删除键；请改为设置想要的值")  # fmt: skip
_GROUP = Text("it chooses another group of upstream's configuration; a method has a fixed one",
              "它选择了上游的另一组配置；每个方法的配置是固定的")  # fmt: skip
_NOT_AN_OVERRIDE = Text("not a `key=value` of Hydra", "不是 Hydra 的 `键=值`")


def _override(one: Arg, notes: list[Note]) -> list[Setting]:
    why: Text | None = None
    try:
        made = read_override(one.text)
    except HydraSyntaxError:
        name, _, value = one.text.partition("=")
        # A place that holds the output of a command is no value of Hydra's grammar.
        return [Setting(path=name.lstrip("+"), value=value, line=one.line)]
    if made is None:
        why = _NOT_AN_OVERRIDE
    elif made.sign == "~":
        why = _DELETED
    elif "/" in made.key or "@" in made.key or made.key == "model_engine":
        why = _GROUP
    if made is None or why is not None:
        notes.append(Note(kind="lost", what=one.text, why=why or _GROUP, line=one.line))
        return []
    return [Setting(path=made.key, value=made.value, line=one.line)]


def _rename(upstream: Upstream) -> None:
    """Move keys of earlier versions to where they are today."""
    for number, one in enumerate(upstream.settings):
        for old, new in _MOVED.items():
            if f"{one.path}.".startswith(f"{old}."):
                path = new + one.path.removeprefix(old)
                upstream.settings[number] = Setting(path=path, value=one.value, line=one.line)
                upstream.notes.append(
                    Note(kind="changed", what=one.shown, line=one.line,
                         why=Text(f"called `{path}` today", f"现在名为 `{path}`"))
                )  # fmt: skip
                break


def _method(upstream: Upstream, launch: Launch) -> str:
    estimator = str(upstream.take("algorithm.adv_estimator", "gae"))
    if upstream.take("distillation.enabled", False) is True:
        return "verl/distillation"
    filtered = upstream.value("algorithm.filter_groups.enable", False)
    manager = upstream.value("reward.reward_manager.name")
    if "dapo" in launch.entry or filtered is True or manager == "dapo":
        return "verl/dapo"
    if estimator not in ESTIMATORS:
        known = ", ".join(ESTIMATORS)
        raise no_method(
            "verl", f"algorithm.adv_estimator={estimator}",
            Text(f"methods exist for {known}", f"已有方法支持：{known}"),
        )  # fmt: skip
    return ESTIMATORS[estimator]


def _reinforced(upstream: Upstream) -> None:
    upstream.model = _text(upstream.take("actor_rollout_ref.model.path"))
    upstream.teacher = _text(upstream.take("distillation.teacher_models.teacher_model.model_path"))
    upstream.data = _data(upstream, "verl")
    upstream.reward = _reward(upstream)
    if upstream.value("critic.model.path") == upstream.model:
        upstream.taken.add("critic.model.path")
    limit = upstream.value("data.max_response_length", 512)
    if upstream.value("reward.reward_kwargs.max_resp_len") == limit:
        upstream.taken.add("reward.reward_kwargs.max_resp_len")
    kwargs = upstream.value("reward.reward_kwargs")
    if isinstance(kwargs, dict) and kwargs.get("max_resp_len") == limit:
        upstream.taken.add("reward.reward_kwargs.max_resp_len")
    upstream.gpus = int(upstream.take("trainer.n_gpus_per_node", _GPUS))
    if upstream.method == "verl/distillation":
        upstream.gpus += int(upstream.value("distillation.n_gpus_per_node", _GPUS))


def _supervised(upstream: Upstream, launch: Launch) -> None:
    old = upstream.take("model.partial_pretrain")
    upstream.model = _text(upstream.take("model.path", old))
    upstream.data = _data(upstream, "plain")
    own = upstream.take("trainer.n_gpus_per_node")
    upstream.gpus = launcher_gpus(launch) or (int(own) if own else 1)


def _data(upstream: Upstream, form: Any) -> dict[str, DataRef]:
    columns = {}
    if form == "plain":
        key = upstream.take("data.messages_key", "messages")
        columns = {str(key): "messages"}
        pairs = (("data.prompt_key", "prompt"), ("data.response_key", "completion"))
        for path, name in pairs:
            if upstream.last(path) is not None:
                columns[str(upstream.take(path))] = name
    else:
        columns = {str(upstream.take("data.prompt_key", "prompt")): "prompt"}
    found = {}
    for path, split in (("data.train_files", "train"), ("data.val_files", "validation")):
        setting = upstream.last(path)
        upstream.taken.add(path)
        if setting is None or setting.value is None:
            continue
        files = setting.value if isinstance(setting.value, list) else [setting.value]
        found[split] = DataRef(sources=[str(one) for one in files], columns=columns, form=form,
                               line=setting.line)  # fmt: skip
    train, validation = found.get("train"), found.get("validation")
    if train is not None and validation is not None and train.sources == validation.sources:
        del found["validation"]  # verl wants a file even when it never validates
    return found


def _reward(upstream: Upstream) -> RewardRef | None:
    file = upstream.take("reward.custom_reward_function.path")
    name = str(upstream.take("reward.custom_reward_function.name", "compute_score"))
    options = upstream.take_below("reward.custom_reward_function.reward_kwargs")
    model = upstream.take("reward.reward_model.model_path")
    enabled = upstream.take("reward.reward_model.enable", False)
    if enabled is True and model:
        return RewardRef(style="model", names=[str(model)])
    if upstream.method == "verl/distillation" and not file:
        return None
    # Without a file of its own verl scores by the name in `data_source`.
    return RewardRef(
        style="verl", names=[name], file=str(file) if file else None,
        options=options,
    )  # fmt: skip


def _nodes(upstream: Upstream, launch: Launch) -> None:
    setting = upstream.last("trainer.nnodes")
    upstream.taken.add("trainer.nnodes")
    nodes = setting.value if setting else launcher_nodes(launch)
    if nodes not in (None, 1):
        upstream.notes.append(
            Note(kind="lost", what=f"trainer.nnodes={nodes}", why=reasons.ONE_MACHINE,
                 line=setting.line if setting else 0)
        )  # fmt: skip


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
