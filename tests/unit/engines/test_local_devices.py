"""Slots of this machine."""

import os
import stat

from starforge.engines.local import devices
from starforge.engines.local.devices import count_cpus, find_devices, find_gpus, parse_gpus

CSV = """0, NVIDIA H100 80GB HBM3, 81559
1, NVIDIA GB10, [N/A]
nonsense
"""


def test_nvidia_smi_csv():
    first, second = parse_gpus(CSV)
    assert (first.index, first.name, first.memory_bytes) == (
        0, "NVIDIA H100 80GB HBM3", 81559 << 20,
    )  # fmt: skip
    assert (second.index, second.memory_bytes) == (1, None)


def test_gpus_are_those_the_driver_shows_and_the_environment_leaves(tmp_path, monkeypatch):
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\ncat <<'E'\n{CSV}E\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert [gpu.index for gpu in find_gpus()] == [0, 1]
    assert [gpu.index for gpu in find_gpus({"CUDA_VISIBLE_DEVICES": "1"})] == [1]
    assert find_gpus({"CUDA_VISIBLE_DEVICES": ""}) == []
    assert len(find_gpus({"CUDA_VISIBLE_DEVICES": "GPU-8932f937"})) == 2
    assert find_devices(max_gpus=1).gpus[0].index == 0
    tool.write_text("#!/bin/sh\nexit 9\n")
    assert find_gpus() == []


def test_cpus_are_limited_by_affinity_quota_and_setting(monkeypatch):
    assert 1 <= count_cpus() <= (os.cpu_count() or 1)
    monkeypatch.setattr(devices, "_quota", lambda: 1)
    assert count_cpus() == 1
    assert find_devices(max_cpus=0, max_gpus=0).cpus == 1
