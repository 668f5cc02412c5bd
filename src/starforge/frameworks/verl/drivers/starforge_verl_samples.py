"""Give verl's dumps of rollouts what they lack; loaded by verl as an external module.

verl writes texts, scores and, of validation, the parts of rewards. Lengths and the parts of
training rewards are at hand where it does: they are added as columns of its own dump. An answer
counts as truncated when it is as long as answers may be, as in ``response_length/clip_ratio``.
"""

from __future__ import annotations

import importlib.machinery
import sys
import types
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from verl_columns import Columns, Remembered, length_columns, parts_of

V1, LEGACY = "verl.trainer.ppo.v1.trainer_base", "verl.trainer.ppo.ray_trainer"


def _limit(trainer: Any) -> int:
    return int(trainer.config.actor_rollout_ref.rollout.response_length)


def change_v1(module: types.ModuleType) -> None:
    """Change the trainer whose answers lie in the transfer queue."""
    trainer, queue = module.PPOTrainer, module.tq
    log, validate, dump = trainer._log_rollout_data, trainer._validate, trainer._dump_generations

    @wraps(log)
    def log_with_more(self: Any, batch: Any, *rest: Any) -> None:
        self.starforge_known = known = Remembered()
        known.take(batch)
        fields = queue.kv_batch_get(
            keys=batch.keys, partition_id=batch.partition_id, select_fields=["extra_fields"]
        )
        rows = list(fields["extra_fields"])
        known.parts = {key: parts_of(row) for key, row in zip(batch.keys, rows, strict=True)}
        log(self, batch, *rest)

    @wraps(validate)
    def validate_with_more(self: Any) -> Any:
        self.starforge_known = known = Remembered()
        buffer = self.replay_buffer
        sample = buffer.sample

        def remember(*args: Any, **options: Any) -> Any:
            made = sample(*args, **options)
            known.take(made[0])
            return made

        buffer.sample = remember  # answers leave the queue before they are dumped
        try:
            return validate(self)
        finally:
            del buffer.sample

    @wraps(dump)
    def dump_with_more(self: Any, **given: Any) -> None:
        infos = given["reward_extra_infos_dict"]
        known = getattr(self, "starforge_known", Remembered())
        more = known.columns(infos["uid"], _limit(self))
        dump(self, **given | {"reward_extra_infos_dict": infos | more})

    trainer._log_rollout_data = log_with_more
    trainer._validate = validate_with_more
    trainer._dump_generations = dump_with_more


def change_legacy(module: types.ModuleType) -> None:
    """Change the older trainer, which ReMax needs; its validation keeps no lengths."""
    trainer = module.RayPPOTrainer
    log = trainer._log_rollout_data

    @wraps(log)
    def log_with_more(self: Any, batch: Any, infos: Any, *rest: Any) -> None:
        width = batch.batch["responses"].shape[-1]
        lengths = batch.batch["attention_mask"][:, -width:].sum(-1).tolist()
        more: Columns = {"uid": [str(one) for one in batch.non_tensor_batch["uid"]]}
        log(self, batch, dict(infos) | more | length_columns(lengths, _limit(self)), *rest)

    trainer._log_rollout_data = log_with_more


CHANGES: dict[str, Callable[[types.ModuleType], None]] = {V1: change_v1, LEGACY: change_legacy}


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module from its file, then changes it."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module, then what changes it."""
        super().exec_module(module)
        CHANGES[module.__name__](module)


class Finder:
    """Finds the trainers where Python would; most of verl's processes never import them."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a module to change, ``None`` for all others."""
        if name not in CHANGES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and type(spec.loader) is importlib.machinery.SourceFileLoader:
            spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


sys.meta_path.insert(0, Finder())  # type: ignore[arg-type]
