"""vLLM's worker on a CPU, with weights that training can replace. For trials only.

On a CPU vLLM packs the weights of linear layers for speed and drops the originals, which
verl's weight updates need. Named as ``worker_extension_cls`` on a CPU profile, this module
is imported before the model is loaded and keeps the plain product instead.
"""

from __future__ import annotations

from typing import Any

import torch
import vllm.model_executor.layers.utils as layers
from verl.workers.rollout.vllm_rollout.utils import vLLMColocateWorkerExtension


def _plain_linear(layer: Any, remove_weight: bool = False) -> None:
    layer.cpu_linear = torch.nn.functional.linear


layers.dispatch_cpu_unquantized_gemm = _plain_linear


class CpuWorkerExtension(vLLMColocateWorkerExtension):
    """verl's extension of a vLLM worker, unchanged but for the import above."""
