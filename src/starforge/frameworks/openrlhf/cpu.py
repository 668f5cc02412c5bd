"""What OpenRLHF needs to run without a GPU. It is made for GPUs; this is for trying things out.

The settings here replace defaults, never what the user wrote (the checks refuse what can't
work); the driver files stand in for the few GPU calls that have no CPU form.
"""

from __future__ import annotations

from typing import Any

from starforge.frameworks.planfiles import DRIVER_DIR
from starforge.lab.context import PrepareContext

FOLDER = f"{DRIVER_DIR}/cpu"
DRIVERS = ("sitecustomize.py", "cpu_patches.py", "cpu_flash_attention.py", "cpu_weight_sync.py")

SETTINGS: dict[str, Any] = {
    "ds.attn_implementation": "sdpa",  # FlashAttention has no CPU kernels
    "ds.enable_sleep": False,  # there is no second memory to move things to
    "vllm.enable_sleep": False,
    "vllm.sync_backend": "gloo",
    "vllm.enforce_eager": True,  # no CUDA graphs, and compiling takes minutes
    "vllm.gpu_memory_utilization": 0.2,
}

# Switches that need a GPU, whatever else is set.
NEEDS_GPU = (
    "ds.packing_samples", "ds.load_in_4bit", "ds.adam_offload", "ds.use_liger_kernel",
    "ds.deepcompile", "ds.enable_sleep", "vllm.enable_sleep", "train.enable_ema",
    "train.dynamic_batch_enable", "ref.offload", "reward.offload",
)  # fmt: skip

# Counts that only GPUs can be more than one of.
ONE_ONLY = ("ds.tensor_parallel_size", "ds.ring_attn_size", "vllm.tensor_parallel_size",
            "vllm.num_engines")  # fmt: skip

ENVIRONMENT = {
    "DS_ACCELERATOR": "cpu",
    "GLOO_SOCKET_IFNAME": "lo",
    "VLLM_CPU_KVCACHE_SPACE": "1",  # GiB
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
}


def refused(context: PrepareContext) -> list[str]:
    """Return the native paths the user set to what only runs on a GPU; none with GPUs."""
    config, attention = context.config, "ds.attn_implementation"
    if context.resources.gpus:
        return []
    wrong = [path for path in NEEDS_GPU if config.is_set_by_user(path) and config.get(path)]
    wrong += [path for path in ONE_ONLY if int(config.get(path) or 0) > 1]
    if "flash" in str(config.get(attention)) and config.is_set_by_user(attention):
        wrong.append(attention)
    if config.get("ds.param_dtype") == "fp16":
        wrong.append("ds.param_dtype")
    return wrong
