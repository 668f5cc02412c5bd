"""Start an OpenRLHF entry on a Ray of its own.

Upstream calls ``ray.init()`` unless Ray runs already, and that call joins whatever cluster it
finds on the machine. So Ray is started here first: local, in a folder of its own, gone at
the end. Usage: ``openrlhf_ray.py --cpus N [--fake-gpus N] -- MODULE FLAGS...``.
"""

from __future__ import annotations

import argparse
import atexit
import os
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

# As upstream sets them when it starts Ray itself.
ENVIRONMENT = {"NCCL_DEBUG": "WARN", "RAY_ENABLE_ZERO_COPY_TORCH_TENSORS": "1"}
LONG = 24  # bytes of a folder that leave too few for the names of sockets
FAKE_STORE = 500_000_000  # bytes of Ray's shared memory in a trial without GPUs


def private_folder() -> Path:
    """Return a new folder with a short name: Ray's sockets in it may not exceed 107 bytes."""
    base = tempfile.gettempdir()
    short = base if len(base) < LONG else "/tmp"  # noqa: S108 - mkdtemp makes it private
    folder = Path(tempfile.mkdtemp(prefix="sf-ray-", dir=short))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


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
    os.environ.pop("RAY_ADDRESS", None)
    if args.fake_gpus:
        os.environ.pop("CUDA_VISIBLE_DEVICES", None)  # Ray would count what it names
    folder = private_folder()
    import ray

    ray.init(
        address="local",
        num_cpus=args.cpus,
        num_gpus=args.fake_gpus,
        include_dashboard=False,
        object_store_memory=FAKE_STORE if args.fake_gpus else None,
        _node_ip_address="127.0.0.1",
        _temp_dir=str(folder),
    )
    atexit.register(ray.shutdown)
    sys.argv = [module, *flags]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
