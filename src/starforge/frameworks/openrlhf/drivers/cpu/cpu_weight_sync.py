"""Send weights from the trainer to vLLM over gloo, where upstream has NCCL.

Upstream makes a NCCL communicator whatever backend is asked for. On a CPU that one returns
without an error and sends nothing, so vLLM would go on with its old weights.
"""

from __future__ import annotations

from typing import Any


class GlooGroup:
    """A group of trainer (rank 0) and vLLM workers with the one method that upstream calls."""

    def __init__(self, group: Any) -> None:
        self._group = group

    def broadcast(self, tensor: Any, src: int, stream: Any = None) -> None:
        """Send ``tensor`` from rank ``src`` to all others, into their ``tensor``."""
        import torch

        options = torch.distributed.BroadcastOptions()
        options.rootRank, options.rootTensor = src, 0
        whole = tensor.contiguous()
        self._group.broadcast([whole], options).wait()
        if whole is not tensor:
            tensor.copy_(whole)


def make_group(host: str, port: int, rank: int, world_size: int, device: Any) -> GlooGroup:
    """Take the place of ``openrlhf.utils.distributed_util.stateless_init_process_group``."""
    from vllm.distributed.utils import stateless_init_torch_distributed_process_group

    made = stateless_init_torch_distributed_process_group(
        host, int(port), rank, world_size, backend="gloo"
    )
    return GlooGroup(made)


def update_weight(self: Any, name: str, dtype: Any, shape: Any, empty_cache: bool = False) -> None:
    """Take the place of ``WorkerWrap.update_weight``, which receives into GPU memory."""
    import torch

    if dtype != self.model_config.dtype:
        raise ValueError(f"{name} is {dtype}, vLLM holds {self.model_config.dtype}")
    weight = torch.empty(shape, dtype=dtype)
    self._model_update_group.broadcast(weight, src=0)
    self.model_runner.model.load_weights(weights=[(name, weight)])
