"""Let OpenRLHF 0.11.0, DeepSpeed and vLLM run on a CPU, to try experiments out.

Each function below changes one module right after it was imported; no file of any package is
touched. Everything that is not named here is upstream's own code.
"""

from __future__ import annotations

import importlib.machinery
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

import cpu_flash_attention
import cpu_weight_sync

Module = Any


def torch_cuda(torch: Module) -> None:
    """Calls that only choose or wait for a GPU do nothing; the current device is the CPU."""
    torch.cuda.current_device = lambda: torch.device("cpu")
    torch.cuda.set_device = lambda device: None
    torch.cuda.synchronize = lambda *args, **kwargs: None
    torch.cuda.empty_cache = lambda: None
    torch.cuda.current_stream = lambda *args, **kwargs: None


def deepspeed_operators(deepspeed: Module) -> None:
    """DeepSpeed would compile its shared memory operator with a C++ compiler; gloo does."""
    deepspeed.ops.__compatible_ops__["deepspeed_shm_comm"] = False


def torch_adam(utils: Module) -> None:
    """AdamW of PyTorch in place of DeepSpeed's, which would have to be compiled first."""
    upstream = utils.get_train_ds_config

    def with_torch_adam(*args: Any, **kwargs: Any) -> dict[str, Any]:
        config: dict[str, Any] = upstream(*args, **kwargs)
        if config.get("optimizer", {}).get("type") == "AdamW":
            config["optimizer"]["params"]["torch_adam"] = True
        return config

    utils.get_train_ds_config = with_torch_adam


class CpuTorch:
    """``torch`` for a module that asks for ``cuda:...`` by name: it gets the CPU."""

    def __init__(self, torch: Module) -> None:
        self._torch = torch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._torch, name)

    def device(self, name: Any, *args: Any) -> Any:
        """Return the CPU, whichever GPU is asked for."""
        return self._torch.device("cpu")


def replay_buffer(module: Module) -> None:
    """The buffer of completions lies in main memory."""
    module.torch = CpuTorch(module.torch)


def weight_sync(module: Module) -> None:
    """Weights travel over gloo."""
    module.stateless_init_process_group = cpu_weight_sync.make_group


def weight_receiver(module: Module) -> None:
    """vLLM's worker takes weights into main memory."""
    module.WorkerWrap.update_weight = cpu_weight_sync.update_weight


def vllm_linear(layers: Module) -> None:
    """Keep the weights of linear layers as they are.

    vLLM on a CPU packs them into another form and drops the original, and then new weights
    could not be loaded.
    """

    def keep(layer: Any, remove_weight: bool = False) -> None:
        import torch

        layer.cpu_linear = torch.nn.functional.linear

    layers.dispatch_cpu_unquantized_gemm = keep


PATCHES: dict[str, Callable[[Module], None]] = {
    "torch": torch_cuda,
    "deepspeed": deepspeed_operators,
    "openrlhf.utils.deepspeed.deepspeed_utils": torch_adam,
    "openrlhf.trainer.ppo_utils.replay_buffer": replay_buffer,
    "openrlhf.utils.distributed_util": weight_sync,
    "openrlhf.trainer.ray.vllm_worker_wrap": weight_receiver,
    "vllm.model_executor.layers.utils": vllm_linear,
}


class Loader(importlib.machinery.SourceFileLoader):
    """Loads a module from its file, then changes it."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Run the module, then its patch."""
        super().exec_module(module)
        PATCHES[module.__name__](module)


class Finder:
    """Finds the modules of :data:`PATCHES` where Python would, and loads them with Loader."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a module to change, ``None`` for all others."""
        if name not in PATCHES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and type(spec.loader) is importlib.machinery.SourceFileLoader:
            spec.loader = Loader(spec.loader.name, spec.loader.path)
        return spec


def install() -> None:
    """Change the modules as they are imported in this process; flash-attn is a stand-in."""
    sys.meta_path[:0] = [Finder(), cpu_flash_attention.Finder()]  # type: ignore[list-item]
