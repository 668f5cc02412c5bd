"""What StarForge adds to a running NeMo-RL: progress, samples, and a Ray of its own.

Everything is put in place before upstream's script is run, through names that upstream looks
up in its own modules; no file of upstream is changed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nemo_parts
import nemo_samples
from job_files import append_row, attempt_dir, say, write_progress

from starforge import layout

ENVIRONMENT = "starforge"
TOTAL = "STARFORGE_TOTAL_STEPS"
LONGEST = "STARFORGE_ANSWER_TOKENS"
REMEMBERED = 20_000  # answers whose parts of rewards wait for upstream's file


def install() -> None:
    """Put all hooks in place."""
    watch_logger()
    own_ray()
    register_rewards()


def watch_logger() -> None:
    """Write progress with every training metric, and samples after every file of rollouts."""
    from nemo_rl.utils.logger import Logger

    log_metrics, log_rows = Logger.log_metrics, Logger.log_batched_dict_as_jsonl
    total = int(os.environ.get(TOTAL) or 0) or None

    def with_progress(self, metrics, step, prefix="", *args, **options):
        log_metrics(self, metrics, step, prefix, *args, **options)
        if prefix == "train":
            write_progress(int(step), total)

    def with_samples(self, to_log, filename):
        log_rows(self, to_log, filename)
        keep_samples(Path(self.base_log_dir) / filename)

    Logger.log_metrics = with_progress
    Logger.log_batched_dict_as_jsonl = with_samples


_parts: dict[str, nemo_parts.Parts] = {}


def keep_samples(path: Path) -> None:
    """Append the samples of one of upstream's files; a bad one must not end a training run."""
    longest = int(os.environ.get(LONGEST) or 0) or None
    try:
        _parts.update(nemo_parts.take(attempt_dir() / nemo_parts.FILE))
        for name in list(_parts)[:-REMEMBERED]:
            del _parts[name]
        for row in nemo_samples.convert(path, longest=longest, parts=_parts):
            append_row(attempt_dir() / layout.SAMPLES / "rollouts.jsonl", row)
    except (OSError, ValueError) as error:
        say("samples of {name} can't be kept: {error}", "无法保存 {name} 中的样例：{error}",
            name=path.name, error=error)  # fmt: skip


def own_ray() -> None:
    """Start a Ray of this job's own where upstream would look for one that is running.

    ``address="local"`` never attaches, whatever ``RAY_ADDRESS`` or other clusters on the
    machine say; workers learn their cluster from the process that starts them.
    """
    from nemo_rl.distributed import virtual_cluster

    def init_ray(log_dir: str | None = None) -> None:
        import ray

        os.environ.pop("RAY_ADDRESS", None)
        variables = dict(os.environ)
        variables.pop("RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES", None)
        ray.init(
            address="local",
            log_to_driver=True,
            include_dashboard=False,
            runtime_env={"env_vars": variables},
            _node_ip_address="127.0.0.1",
            _temp_dir=log_dir or os.environ.get("RAY_TMPDIR"),
            resources={_tag(): 1},
        )

    virtual_cluster.init_ray = init_ray


def _tag() -> str:
    """Return the resource by which upstream knows a cluster of its own again."""
    devices = sorted(os.environ.get("CUDA_VISIBLE_DEVICES", "ALL").split(","))
    return "nrl_tag_" + "_".join(devices)


def register_rewards() -> None:
    """Make our environment and our processor of prompts known to upstream's registries."""
    import nemo_prompts
    from nemo_rl.data.processors import register_processor
    from nemo_rl.distributed import ray_actor_environment_registry as actors
    from nemo_rl.distributed.virtual_cluster import PY_EXECUTABLES
    from nemo_rl.environments.utils import register_env

    name = "nemo_reward_env.RewardEnvironment"
    register_env(ENVIRONMENT, name)
    actors.ACTOR_ENVIRONMENT_REGISTRY[name] = PY_EXECUTABLES.SYSTEM
    register_processor(ENVIRONMENT, nemo_prompts.process)


def patch(module: Any, name: str, value: Any) -> None:
    """Replace a name of upstream's; fails loudly when this version has none of it."""
    if not hasattr(module, name):
        raise AttributeError(f"{module.__name__} has no {name}")
    setattr(module, name, value)
