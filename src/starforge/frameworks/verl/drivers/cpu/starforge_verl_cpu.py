"""A CPU platform for verl, through verl's own registry of platforms. For trials only.

verl supports accelerators. This module, loaded as ``VERL_USE_EXTERNAL_MODULES`` and chosen
by ``VERL_PLATFORM=cpu``, lets its FSDP engine compute on a CPU with the gloo backend, slowly
and for tiny models, so that an experiment can be proved before it gets a GPU. It also mends
four places in which torch, transformers and verl take an accelerator for granted (see
``_mend_*``). A GPU profile never loads it.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from typing import Any

import torch
import torch.distributed
from verl.plugin.platform.platform_base import PlatformBase
from verl.plugin.platform.platform_manager import PlatformRegistry

MEMORY = 8 << 30  # bytes told to code that asks how much the device has
DEVICE = torch.device("cpu")


def _nothing(*_args: Any, **_kwargs: Any) -> None:
    return None


def _zero(*_args: Any, **_kwargs: Any) -> int:
    return 0


def _memory(*_args: Any, **_kwargs: Any) -> tuple[int, int]:
    return MEMORY, MEMORY


def _properties(*_args: Any, **_kwargs: Any) -> types.SimpleNamespace:
    return types.SimpleNamespace(total_memory=MEMORY, name="cpu")


class _DeviceModule(types.ModuleType):
    """``torch.cpu`` with what verl calls on ``torch.cuda`` besides."""

    device_count = staticmethod(lambda: 1)
    is_available = staticmethod(lambda: True)
    current_device = staticmethod(lambda: DEVICE)
    get_device_name = staticmethod(lambda *_args: "cpu")
    get_device_capability = staticmethod(lambda *_args: (None, None))
    get_device_properties = staticmethod(_properties)
    mem_get_info = staticmethod(_memory)
    set_device = synchronize = empty_cache = ipc_collect = staticmethod(_nothing)
    manual_seed = manual_seed_all = reset_peak_memory_stats = staticmethod(_nothing)
    memory_allocated = memory_reserved = staticmethod(_zero)
    max_memory_allocated = max_memory_reserved = staticmethod(_zero)

    @staticmethod
    def get_rng_state(*_args: Any) -> torch.Tensor:
        """Return the state of torch's one CPU generator."""
        return torch.get_rng_state()

    @staticmethod
    def set_rng_state(state: torch.Tensor, *_args: Any) -> None:
        """Set the state of torch's one CPU generator."""
        torch.set_rng_state(state)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(torch.cpu, name)


_MODULE = _DeviceModule("starforge_verl_cpu_device")


@PlatformRegistry.register(platform="cpu")
class PlatformCPU(PlatformBase):
    """The machine's CPU as verl's device; Ray counts it as a stand-in for one GPU."""

    device_name = "cpu"
    vendor_name = "cpu"
    device_module = _MODULE

    def is_available(self) -> bool:
        return True

    def is_platform_available(self, use_smi_check: bool = False) -> bool:
        return True

    def current_device(self) -> Any:
        return DEVICE

    def device_count(self) -> int:
        return 1

    def set_device(self, device_index: int) -> None:
        return None

    def synchronize(self, device_index: int | None = None) -> None:
        return None

    def manual_seed(self, seed: int) -> None:
        torch.manual_seed(seed)

    def manual_seed_all(self, seed: int) -> None:
        torch.manual_seed(seed)

    def set_allocator_settings(self, settings: str) -> None:
        return None

    def empty_cache(self) -> None:
        return None

    def get_device_capability(self, device_index: int = 0) -> tuple[int | None, int | None]:
        return None, None

    def communication_backend_name(self) -> str:
        return "gloo"

    def visible_devices_envvar(self) -> str:
        return "CUDA_VISIBLE_DEVICES"

    @contextlib.contextmanager
    def nvtx_range(self, msg: str) -> Iterator[None]:
        yield

    def profiler_start(self) -> None:
        return None

    def profiler_stop(self) -> None:
        return None

    def ray_resource_name(self) -> str:
        return "GPU"

    def ray_noset_envvars(self) -> list[str]:
        return ["RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES"]

    def is_ipc_supported(self) -> bool:
        return False

    def cudart(self) -> Any:
        return None


def _mend_process_group() -> None:
    """Take verl's ``cpu:gloo,cpu:gloo`` (a backend for each of two devices) as one ``gloo``."""
    original = torch.distributed.init_process_group

    def init_process_group(*args: Any, **kwargs: Any) -> Any:
        if kwargs.get("backend") == "cpu:gloo,cpu:gloo":
            kwargs["backend"] = "gloo"
        return original(*args, **kwargs)

    torch.distributed.init_process_group = init_process_group


def _mend_pinned_memory() -> None:
    """Leave tensors unpinned: FSDP's offload of the reference pins for a device not there."""
    torch.Tensor.pin_memory = lambda self, *_args, **_kwargs: self


def _mend_padding() -> None:
    """Give the legacy trainer verl's own torch functions in place of flash-attn's."""
    from verl.utils import attention_utils

    def functions() -> tuple[Any, ...]:
        from verl.utils import npu_flash_attn_utils as plain

        return plain.index_first_axis, plain.pad_input, plain.rearrange, plain.unpad_input

    attention_utils._get_attention_functions = functions


def _mend_critic_attention() -> None:
    """Load the critic with torch's attention: verl asks for flash-attn whatever is set."""
    from transformers import AutoModelForTokenClassification as Critic

    original = Critic.from_pretrained.__func__

    def from_pretrained(cls: Any, *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("attn_implementation") == "flash_attention_2":
            kwargs["attn_implementation"] = "sdpa"
        return original(cls, *args, **kwargs)

    Critic.from_pretrained = classmethod(from_pretrained)


for mend in (_mend_process_group, _mend_pinned_memory, _mend_padding, _mend_critic_attention):
    mend()
