"""Stand-ins for the two modules of flash-attn that OpenRLHF imports and plain settings never call.

FlashAttention has no CPU kernels. Only packed sequences and ring attention call into it, and
the checks refuse both without a GPU.
"""

from __future__ import annotations

import importlib.machinery
import types
from collections.abc import Sequence
from typing import Any, NoReturn

NAMES = {
    "flash_attn": (),
    "flash_attn.bert_padding": ("index_first_axis", "pad_input", "rearrange", "unpad_input"),
    "flash_attn.utils": (),
    "flash_attn.utils.distributed": ("all_gather",),
}


class Finder:
    """Finds the stand-ins, and loads them."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a stand-in; every other module is somebody else's."""
        if name not in NAMES:
            return None
        package = any(other.startswith(f"{name}.") for other in NAMES)
        return importlib.machinery.ModuleSpec(name, self, is_package=package)  # type: ignore[arg-type]

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        """Let Python make the module itself."""

    def exec_module(self, module: types.ModuleType) -> None:
        """Fill a stand-in with functions that say what is missing."""
        for name in NAMES[module.__name__]:
            setattr(module, name, _absent(name))


def _absent(name: str) -> Any:
    def absent(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"flash_attn.{name} needs a GPU")

    return absent
