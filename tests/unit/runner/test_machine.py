import pytest

from starforge.runner.machine import machine_failure


@pytest.mark.parametrize(
    "tail",
    [
        "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.",
        "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered",
        "OSError: [Errno 116] Stale file handle: '/shared/ckpt/model.safetensors'",
        "OSError: [Errno 5] Input/output error",
        "RuntimeError: NCCL Error 6: remote process exited or there was a network error",
    ],
)
def test_what_the_machine_says_of_itself(tail):
    assert machine_failure(f"step 3\n{tail}\nTraceback") is not None


@pytest.mark.parametrize(
    "tail",
    [
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB",
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "RuntimeError: CUDA error: device-side assert triggered",
        "FileNotFoundError: [Errno 2] No such file or directory: 'reward.py'",
        "OSError: [Errno 28] No space left on device",
        "ValueError: batch_size must be divisible by 4",
        "KeyError: 'Xid'",
        "",
    ],
)
def test_what_comes_back_every_time_is_none(tail):
    assert machine_failure(tail) is None
