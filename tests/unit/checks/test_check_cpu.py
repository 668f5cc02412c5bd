"""What the CPU is fast in stands in /proc/cpuinfo."""

import pytest

from starforge.checks import cpu


@pytest.mark.parametrize(
    ("text", "fast"),
    [
        ("flags\t\t: fpu avx512f avx512_bf16 vme\n", True),
        ("flags\t\t: amx_bf16", True),
        ("Features\t: fp asimd bf16 svebf16\n", True),
        ("flags\t\t: fpu avx512f avx2 no_bf16_here\n", False),
        ("", False),
    ],
)
def test_only_a_flag_of_its_own_counts(text, fast):
    assert cpu.fast_in_bfloat16(text) is fast


def test_a_system_that_says_nothing_is_not_fast(monkeypatch, tmp_path):
    monkeypatch.setattr(cpu, "Path", lambda _: tmp_path / "none")
    cpu.cpu_is_fast_in_bfloat16.cache_clear()
    assert cpu.cpu_is_fast_in_bfloat16() is False
    cpu.cpu_is_fast_in_bfloat16.cache_clear()
