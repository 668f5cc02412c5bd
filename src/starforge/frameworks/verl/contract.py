"""Extract what the installed verl accepts, as a contract in JSON on standard output.

Run it inside the runtime: ``python contract.py > contracts/verl-<version>.json``. It stands
alone (no import of starforge). The keys are the leaves of what Hydra composes from verl's own
YAML files; types come from the dataclasses those files name (``_target_``), since a ``null``
in YAML has none. Fields of these classes that the YAML lacks, and keys that the code reads
without either, are there as ``added``. The output depends on the package versions only.
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import enum
import importlib
import importlib.metadata
import inspect
import json
import sys
import textwrap
import types
import typing
from pathlib import Path
from typing import Any

CONFIGS = ("ppo_trainer", "sft_trainer_engine")
PACKAGES = ("verl", "hydra-core", "omegaconf", "ray", "torch", "transformers", "TransferQueue")
TARGET = "_target_"
# Fields that the trainer fills in itself while it runs; setting them would be undone.
RUNTIME_FIELDS = frozenset({
    TARGET, "engine", "model_config", "global_batch_info", "loss_settings", "extra_context",
    "model_type", "load_tokenizer", "rollout_correction", "global_tool_config",
})  # fmt: skip
# The reference model shares the actor's class but only computes log-probabilities.
UNUSED_FIELDS = frozenset({"actor_rollout_ref.ref."})
# Keys without a dataclass whose YAML default does not say what they take.
UNTYPED = {
    "data.train_files": "str | list[str]", "data.val_files": "str | list[str] | None",
    "data.tokenizer": "str | None", "data.gen_batch_size": "int | None",
    "data.val_batch_size": "int | None", "data.seed": "int | None",
    "data.tool_config_path": "str | None", "data.function_tool_path": "str | None",
    "data.custom_cls.path": "str | None", "data.custom_cls.name": "str | None",
    "data.enable_thinking_default": "bool | str | None",
    "trainer.total_training_steps": "int | None", "trainer.rollout_data_dir": "str | None",
    "trainer.validation_data_dir": "str | None", "trainer.resume_from_path": "str | None",
    "trainer.default_hdfs_dir": "str | None", "trainer.max_actor_ckpt_to_keep": "int | None",
    "trainer.max_critic_ckpt_to_keep": "int | None", "trainer.max_ckpt_to_keep": "int | None",
    "trainer.esi_redundant_time": "float", "trainer.logger": "list[str]",
    "trainer.profile_interval": "list[int]",
    "trainer.v1.sampler.custom_sampler.path": "str | None",
    "trainer.v1.sampler.custom_sampler.name": "str | None",
    "reward.custom_reward_function.path": "str | None",
    "actor_rollout_ref.ref.log_prob_micro_batch_size": "int | None",
    "actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu": "int | None",
    "global_profiler.steps": "list[int] | None",
    "actor_rollout_ref.model.lora.dtype": "str | None",
    "actor_rollout_ref.model.lora.adapter_path": "str | None",
    "ray_kwargs.ray_init.num_cpus": "int | None", "ray_kwargs.timeline_json_file": "str | None",
}  # fmt: skip
# The same, for one configuration only.
UNTYPED_IN = {("sft_trainer_engine", "trainer.save_freq"): "int | str",
              ("sft_trainer_engine", "trainer.test_freq"): "int | str"}  # fmt: skip


class Read(typing.NamedTuple):
    """A key that verl's code reads although neither YAML nor dataclass has it."""

    type: str
    default: Any
    module: str
    word: str  # stands in the source of ``module``, or the extraction fails


_DAPO = "verl.experimental.reward_loop.reward_manager.dapo"
_MAIN = "verl.trainer.main_ppo"
_RAY = "ray.init(**"  # everything below `ray_init` goes there; these are what a job may need of it
_BUFFER = "reward.reward_kwargs.overlong_buffer_cfg"
READ: dict[str, dict[str, Read]] = {
    "ppo_trainer": {
        "reward.reward_kwargs.max_resp_len": Read("int | None", None, _DAPO, '"max_resp_len"'),
        f"{_BUFFER}.enable": Read("bool | None", None, _DAPO, "buffer_cfg.enable"),
        f"{_BUFFER}.len": Read("int | None", None, _DAPO, "buffer_cfg.len"),
        f"{_BUFFER}.penalty_factor": Read("float | None", None, _DAPO, "buffer_cfg.penalty_factor"),
        f"{_BUFFER}.log": Read("bool | None", None, _DAPO, "buffer_cfg.log"),
        "reward.custom_reward_function.reward_kwargs":
            Read("dict[str, Any]", {}, "verl.trainer.ppo.reward", '"reward_kwargs", {}'),
        "ray_kwargs.ray_init.address": Read("str | None", None, _MAIN, _RAY),
        "ray_kwargs.ray_init.num_gpus": Read("int | None", None, _MAIN, _RAY),
        "ray_kwargs.ray_init.include_dashboard": Read("bool | None", None, _MAIN, _RAY),
        "ray_kwargs.ray_init.object_store_memory": Read("int | None", None, _MAIN, _RAY),
        "ray_kwargs.ray_init.runtime_env":
            Read("dict[str, Any]", {}, _MAIN, '"runtime_env", {}'),
    },
    "sft_trainer_engine": {},
}  # fmt: skip


def spell(annotation: Any) -> str:  # noqa: PLR0911 - one return a form
    """Write a type annotation as text."""
    if annotation is Any:
        return "Any"
    if annotation is type(None):
        return "None"
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(spell(arg) for arg in args))
    if origin is typing.Literal:
        return f"Literal[{', '.join(repr(arg) for arg in args)}]"
    if origin is not None:
        return f"{origin.__name__}[{', '.join(spell(arg) for arg in args)}]"
    if isinstance(annotation, type):
        return "str" if issubclass(annotation, enum.Enum) else annotation.__name__
    return str(annotation)


def guess(value: Any) -> str:
    """Name the type of a YAML value that no class describes."""
    if value is None:
        return "Any"
    if isinstance(value, list):
        inner = {guess(item) for item in value}
        return f"list[{inner.pop()}]" if len(inner) == 1 else "list"
    return "dict[str, Any]" if isinstance(value, dict) else type(value).__name__


def dataclass_of(annotation: Any) -> type | None:
    """Return the dataclass an annotation names, also inside ``Optional``."""
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        return annotation
    if typing.get_origin(annotation) not in (typing.Union, types.UnionType):
        return None
    found = (dataclass_of(arg) for arg in typing.get_args(annotation))
    return next((one for one in found if one is not None), None)


def locate(dotted: str) -> type:
    """Import what a ``_target_`` names."""
    module, _, name = dotted.rpartition(".")
    found: type = getattr(importlib.import_module(module), name)
    return found


def listed(function: Any, name: str) -> list[str] | None:
    """Return the strings that ``function`` compares ``self.<name>`` (or ``name``) with.

    Only a comparison with a literal list counts, or with a variable that holds one.
    """
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    lists = {
        node.targets[0].id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or not isinstance(node.ops[0], ast.In | ast.NotIn):
            continue
        left = node.left
        compared = left.attr if isinstance(left, ast.Attribute) else getattr(left, "id", None)
        right = node.comparators[0]
        if isinstance(right, ast.Name):
            right = lists.get(right.id, right)
        if compared == name and isinstance(right, ast.List | ast.Tuple):
            with contextlib.suppress(ValueError):
                return [str(item) for item in ast.literal_eval(right)]
    return None


def kl_estimators() -> list[str]:
    """Return the words of ``kl_penalty`` that do not end in an error, with their ``+`` forms."""
    core = importlib.import_module("verl.trainer.ppo.core_algos")
    tree = ast.parse(textwrap.dedent(inspect.getsource(core.kl_penalty_forward)))
    words: list[str] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
            continue
        if any(isinstance(inner, ast.Return) for inner in ast.walk(node)):
            value = ast.literal_eval(node.test.comparators[0])
            words += [value] if isinstance(value, str) else value
    return [*words, *(f"{word}+" for word in words)]


def registries() -> dict[str, dict[str, list[str]]]:
    """Return, for each configuration, the choices that verl keeps in registries or code."""
    core = importlib.import_module("verl.trainer.ppo.core_algos")
    losses = importlib.import_module("verl.trainer.distillation.losses")
    replica = importlib.import_module("verl.workers.rollout.replica")
    v1 = importlib.import_module("verl.trainer.ppo.v1")
    tracking = importlib.import_module("verl.utils.tracking").Tracking.supported_backend
    actor = importlib.import_module("verl.workers.config").ActorConfig
    sft = importlib.import_module("verl.utils.dataset.multiturn_sft_dataset").MultiTurnSFTDataset
    aggregation = listed(actor.__post_init__, "loss_agg_mode") or []
    resume = ["auto", "disable", "resume_path"]
    engines = list(replica.RolloutReplicaRegistry._registry)
    corrections = importlib.import_module("verl.trainer.ppo.rollout_corr_helper")
    return {
        "ppo_trainer": {
            "algorithm.adv_estimator": list(core.ADV_ESTIMATOR_REGISTRY),
            "algorithm.kl_penalty": kl_estimators(),
            "algorithm.kl_ctrl.type": ["fixed", "adaptive"],
            "algorithm.rollout_correction.rollout_is":
                listed(corrections.compute_rollout_correction_weights, "rollout_is")
                or ["token", "sequence"],
            "actor_rollout_ref.actor.kl_loss_type": kl_estimators(),
            "actor_rollout_ref.actor.policy_loss.loss_mode": list(core.POLICY_LOSS_REGISTRY),
            "actor_rollout_ref.actor.loss_agg_mode": aggregation,
            "actor_rollout_ref.actor.strategy": ["fsdp", "fsdp2"],
            "actor_rollout_ref.rollout.name": engines,
            "critic.loss_agg_mode": aggregation,
            "critic.strategy": ["fsdp", "fsdp2"],
            "distillation.distillation_loss.loss_mode": list(losses.DISTILLATION_LOSS_REGISTRY),
            "trainer.v1.trainer_mode": list(v1.trainer_base.TRAINER_REGISTRY),
            "trainer.resume_mode": resume,
            "trainer.logger": list(tracking),
        },
        "sft_trainer_engine": {
            "data.truncation": listed(sft.__init__, "truncation") or [],
            "data.pad_mode": listed(sft.__init__, "pad_mode") or [],
            "engine.strategy": ["fsdp", "fsdp2"],
            "trainer.resume_mode": resume,
            "trainer.logger": list(tracking),
        },
    }  # fmt: skip


class Walk:
    """Collects the keys of one composed configuration."""

    def __init__(self, name: str) -> None:
        hydra = importlib.import_module("hydra")
        verl: Any = importlib.import_module("verl")
        omega = importlib.import_module("omegaconf").OmegaConf
        folder = Path(verl.__file__).parent / "trainer" / "config"
        with hydra.initialize_config_dir(str(folder), version_base=None):
            self.config = hydra.compose(name)
        self.name = name
        self.omega = omega
        self.keys: dict[str, dict[str, Any]] = {}
        self._node("", omega.to_container(self.config, resolve=False), None)

    def _node(self, prefix: str, node: dict[str, Any], cls: type | None) -> None:
        if isinstance(node.get(TARGET), str):
            cls = locate(node[TARGET])
        hints = typing.get_type_hints(cls) if cls is not None else {}
        for name, value in node.items():
            path = f"{prefix}{name}"
            if name == TARGET:
                continue  # names the class of its section; another one has other keys
            hint = hints.get(name)
            if isinstance(value, dict) and value:
                self._node(f"{path}.", value, dataclass_of(hint))
            else:
                self._leaf(path, value, hint, cls)
        if cls is not None:
            self._missing_fields(prefix, node, cls, hints)

    def _leaf(self, path: str, value: Any, hint: Any, cls: type | None) -> None:
        required = value == "???"
        kind = UNTYPED_IN.get((self.name, path)) or UNTYPED.get(path)
        if kind is None:
            resolved = None if required else self._resolved(path)
            kind = spell(hint) if hint is not None else guess(resolved)
            if hint is not None and resolved is None and not required and "None" not in kind:
                kind += " | None"
        entry: dict[str, Any] = {"type": kind}
        if required:
            entry["required"] = True
        elif value is not None:
            entry["default"] = value
        self._put(path, entry, cls)

    def _missing_fields(
        self, prefix: str, node: dict[str, Any], cls: type, hints: dict[str, Any]
    ) -> None:
        """Add what the class takes and its YAML lacks; mutable fields are runtime state."""
        if prefix in UNUSED_FIELDS or "profiler." in prefix:
            return
        skipped = RUNTIME_FIELDS | set(getattr(cls, "_mutable_fields", ())) | set(node)
        for field in dataclasses.fields(cls):
            if field.name in skipped or not field.init:
                continue
            value = field_default(field)
            if dataclasses.is_dataclass(value):
                continue  # a whole section that verl's own files never set
            entry: dict[str, Any] = {"type": spell(hints[field.name]), "added": True}
            if value is None and "None" not in entry["type"] and entry["type"] != "Any":
                entry["type"] += " | None"
            if value is not None:
                entry["default"] = value
            self._put(f"{prefix}{field.name}", entry, cls)

    def _resolved(self, path: str) -> Any:
        try:
            found = self.omega.select(self.config, path, throw_on_missing=False)
        except Exception:  # a resolver that needs what only a job has
            return None
        return self.omega.to_container(found) if self.omega.is_config(found) else found

    def _put(self, path: str, entry: dict[str, Any], cls: type | None) -> None:
        if cls is not None:
            entry["section"] = cls.__name__
            after = cls.__dict__.get("__post_init__")
            choices = listed(after, path.rpartition(".")[2]) if after else None
            if choices:
                entry["choices"] = choices
        self.keys[path] = entry


def field_default(field: dataclasses.Field[Any]) -> Any:
    """Return a field's default; ``None`` when it has none or OmegaConf's ``MISSING``."""
    if field.default is not dataclasses.MISSING:
        return None if field.default == "???" else field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return None


def add_read(keys: dict[str, Any], wanted: dict[str, Read]) -> None:
    """Add the keys of :data:`READ`, each seen in the source that reads it."""
    for path, read in wanted.items():
        source = inspect.getsource(importlib.import_module(read.module))
        if read.word not in source:
            raise LookupError(f"{read.module} does not read {path} any more: {read.word}")
        if path in keys:
            raise LookupError(f"{path} is in verl's own files now")
        entry: dict[str, Any] = {"type": read.type, "added": True}
        if read.default is not None:
            entry["default"] = read.default
        keys[path] = entry


def extract() -> dict[str, Any]:
    """Return the contract of the installed verl in the shape of ``catalog.models.Contract``."""
    choices = registries()
    configs = {}
    for name in CONFIGS:
        keys = Walk(name).keys
        add_read(keys, READ[name])
        for path, values in choices[name].items():
            keys[path]["choices"] = values
        for entry in keys.values():
            if "choices" in entry:
                entry["choices"] = sorted(set(entry["choices"]))
        configs[name] = {"keys": keys, "dialect": "hydra"}
    packages = {name: importlib.metadata.version(name).partition("+")[0] for name in PACKAGES}
    return {"framework": "verl", "version": packages["verl"], "configs": configs,
            "packages": packages}  # fmt: skip


def main() -> None:
    """Print the contract; what verl prints while it is imported goes to standard error."""
    with contextlib.redirect_stdout(sys.stderr):
        contract = extract()
    json.dump(contract, sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
