"""What a CPU profile changes in verl's settings, each with its reason.

verl is made for accelerators. On a CPU profile StarForge brings a platform of its own
(``drivers/cpu``), good for proving on a small machine that an experiment runs, with tiny
models. All that differs then stands here, and in the printed plan; nothing of it is used on
a GPU profile.
"""

from __future__ import annotations

from typing import Any

import msgspec

from starforge.i18n import Text

RAY_CPUS = 16  # logical: verl asks for more actors than a small machine has cores
WORKER_EXTENSION = "starforge_verl_vllm_cpu.CpuWorkerExtension"
FLOAT32 = {"param_dtype": "fp32", "reduce_dtype": "fp32", "buffer_dtype": "fp32"}

MODULE = "starforge_verl_cpu"  # verl loads it as an external module
ENVIRONMENT = {
    # verl's own extension points: choose our platform, and take the FSDP engine, which is
    # registered under the device name "cuda".
    "VERL_PLATFORM": "cpu",
    "VERL_ENGINE_DEVICE": "cuda",
    # vLLM on a CPU: a small cache in GiB, and threads left to the operating system.
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    # TransferQueue complains at every step that 8 threads are more than the machine has.
    "TQ_NUM_THREADS": "1",
}


class CpuSetting(msgspec.Struct, frozen=True):
    """One native key that a CPU profile sets, and why."""

    path: str
    value: Any
    reason: Text


_FSDP2 = Text("FSDP 1 needs an accelerator", "FSDP 1 需要加速卡")
_NO_COMPILE = Text("compiling a tiny model takes longer than training it", "编译微型模型比训练还慢")
_PADDING = Text("packed rows need flash-attn", "去除填充需要 flash-attn")
_SDPA = Text("flash-attn has no CPU version", "flash-attn 没有 CPU 版本")
_PRECISE = Text(
    "bfloat16 is slow on CPUs, and rollout and trainer then agree to eight digits",
    "CPU 上 bfloat16 很慢，用 float32 还能让采样与训练的概率几乎一致",
)
_ONE = Text(
    "one of each is enough for a tiny model, and each takes memory",
    "微型模型每种一个就够，每个都占内存",
)
_SLEEP = Text("an engine on a CPU can't be put to sleep", "CPU 上的引擎不支持休眠")
_FAKE = Text("a stand-in for the GPU that verl asks Ray for", "代替 verl 向 Ray 申请的 GPU")

SFT = (
    CpuSetting("trainer.device", "cpu", Text("there is no GPU", "没有 GPU")),
    CpuSetting("engine.strategy", "fsdp2", _FSDP2),
    CpuSetting("engine.use_torch_compile", False, _NO_COMPILE),
    CpuSetting("engine.mixed_precision", FLOAT32, _PRECISE),
    CpuSetting("model.use_remove_padding", False, _PADDING),
    CpuSetting("model.override_config.attn_implementation", "sdpa", _SDPA),
    CpuSetting("data.use_dynamic_bsz", False, _PADDING),
    CpuSetting("data.num_workers", 0, _ONE),
)
_A = "actor_rollout_ref"
RL = (
    CpuSetting("trainer.device", "cpu", Text("there is no GPU", "没有 GPU")),
    CpuSetting("ray_kwargs.ray_init.num_cpus", RAY_CPUS,
               Text("verl asks for more actors than a small machine has cores",
                    "verl 申请的进程数多于小机器的核数")),
    CpuSetting("data.dataloader_num_workers", 0, _ONE),
    CpuSetting("reward.num_workers", 1, _ONE),
    CpuSetting("transfer_queue.backend.SimpleStorage.num_data_storage_units", 1, _ONE),
    CpuSetting(f"{_A}.actor.strategy", "fsdp2", _FSDP2),
    CpuSetting(f"{_A}.actor.use_dynamic_bsz", False, _PADDING),
    CpuSetting(f"{_A}.actor.fsdp_config.use_torch_compile", False, _NO_COMPILE),
    CpuSetting(f"{_A}.actor.fsdp_config.mixed_precision", FLOAT32, _PRECISE),
    CpuSetting(f"{_A}.ref.fsdp_config.use_torch_compile", False, _NO_COMPILE),
    CpuSetting(f"{_A}.ref.fsdp_config.mixed_precision", FLOAT32, _PRECISE),
    CpuSetting(f"{_A}.model.use_remove_padding", False, _PADDING),
    CpuSetting(f"{_A}.model.override_config.attn_implementation", "sdpa", _SDPA),
    CpuSetting(f"{_A}.rollout.dtype", "float32", _PRECISE),
    CpuSetting(f"{_A}.rollout.enforce_eager", True, _NO_COMPILE),
    CpuSetting(f"{_A}.rollout.free_cache_engine", False, _SLEEP),
    CpuSetting(f"{_A}.rollout.enable_sleep_mode", False, _SLEEP),
    CpuSetting(f"{_A}.rollout.tensor_model_parallel_size", 1, _ONE),
    CpuSetting(f"{_A}.rollout.agent.num_workers", 1, _ONE),
    CpuSetting(f"{_A}.rollout.checkpoint_engine.update_weights_bucket_megabytes", 16,
               Text("weights go through shared memory, which a container may have little of",
                    "权重经共享内存传递，而容器的共享内存可能很小")),
    CpuSetting(f"{_A}.rollout.engine_kwargs.vllm.worker_extension_cls", WORKER_EXTENSION,
               Text("vLLM on a CPU drops the weights that training must replace",
                    "CPU 版 vLLM 会丢弃训练需要更新的权重")),
)  # fmt: skip
CRITIC = (
    CpuSetting("critic.strategy", "fsdp2", _FSDP2),
    CpuSetting("critic.use_dynamic_bsz", False, _PADDING),
    CpuSetting("critic.fsdp.use_torch_compile", False, _NO_COMPILE),
    CpuSetting("critic.fsdp.mixed_precision", FLOAT32, _PRECISE),
    CpuSetting("critic.model.use_remove_padding", False, _PADDING),
    CpuSetting("critic.model.override_config.attn_implementation", "sdpa", _SDPA),
)
_T = "distillation.teacher_models.teacher_model.inference"
TEACHER = (
    CpuSetting("distillation.n_gpus_per_node", 1, _FAKE),
    CpuSetting(f"{_T}.tensor_model_parallel_size", 1, _ONE),
    CpuSetting(f"{_T}.enforce_eager", True, _NO_COMPILE),
    CpuSetting(f"{_T}.free_cache_engine", False, _SLEEP),
    CpuSetting(f"{_T}.enable_sleep_mode", False, _SLEEP),
)


def settings_for(algorithm: str) -> tuple[CpuSetting, ...]:
    """Return what a CPU profile sets for the method with this algorithm."""
    if algorithm == "sft":
        return SFT
    more = {"ppo": CRITIC, "distillation": TEACHER}
    return RL + more.get(algorithm, ())
