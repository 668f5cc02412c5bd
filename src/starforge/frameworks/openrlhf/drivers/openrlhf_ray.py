"""Start an OpenRLHF entry on a Ray of its own.

Upstream calls ``ray.init()`` unless Ray runs already, and that call joins whatever cluster it
finds on the machine. So Ray is started here first: local, in the job's folder that
``RAY_TMPDIR`` names, with the job's token. Usage:
``openrlhf_ray.py --cpus N [--fake-gpus N] -- MODULE FLAGS...``.
"""

from __future__ import annotations

import argparse
import atexit
import os
import runpy
import sys

# As upstream sets them when it starts Ray itself.
ENVIRONMENT = {"NCCL_DEBUG": "WARN", "RAY_ENABLE_ZERO_COPY_TORCH_TENSORS": "1"}
FAKE_STORE = 500_000_000  # bytes of Ray's shared memory in a trial without GPUs


def main() -> None:
    """Start Ray, then run upstream's module as ``python -m`` would."""
    cut = sys.argv.index("--")
    parser = argparse.ArgumentParser()
    parser.add_argument("--cpus", type=int, required=True)
    parser.add_argument("--fake-gpus", type=int)
    args = parser.parse_args(sys.argv[1:cut])
    module, *flags = sys.argv[cut + 1 :]
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    if args.fake_gpus:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)  # Ray would count what it names
    import ray

    ray.init(
        address="local",
        num_cpus=args.cpus,
        num_gpus=args.fake_gpus,
        include_dashboard=False,
        object_store_memory=FAKE_STORE if args.fake_gpus else None,
        _node_ip_address="127.0.0.1",
    )
    atexit.register(ray.shutdown)
    sys.argv = [module, *flags]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
