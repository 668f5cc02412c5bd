"""What `sf runtime` says of runtimes that are there, and of those that can't be."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
import pytest

from starforge.runtimes import get_spec
from starforge.runtimes.registry import RECEIPT, Receipt


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("STARFORGE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("STARFORGE_RUNTIMES", raising=False)
    return tmp_path / "home"


def put(home: Path, name: str) -> None:
    """Put a runtime there that is whole as far as its receipt and interpreter say."""
    known = get_spec(name, "cpu")
    folder = home / "runtimes" / known.folder
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()
    receipt = Receipt(
        name=name, device="cpu", digest=known.digest, python="3.11.7",
        built_at=time.time() - 100, size=3 << 30,
    )  # fmt: skip
    (folder / RECEIPT).write_bytes(msgspec.json.encode(receipt))


def test_one_that_is_there_is_not_called_new(sf, home):
    put(home, "trl")
    ran = sf("runtime", "install", "trl", "--device", "cpu")
    assert ran.code == 0
    assert "trl (cpu) is installed already: 3.0 GiB" in ran.out and "--force" in ran.out
    assert "此前已安装" in sf("--lang", "zh", "runtime", "install", "trl", "--device", "cpu").out


@pytest.mark.parametrize("command", ["install", "doctor", "rm"])
def test_nemo_rl_is_told_to_be_elsewhere(sf, command):
    ran = sf("runtime", command, "nemo-rl")
    assert (ran.code, ran.out) == (1, "")
    assert "`nemo-rl` is not built here" in ran.err and "runtimes.yaml" in ran.err
    assert "did you mean" not in ran.err
    assert "不在这里构建" in sf("--lang", "zh", "runtime", command, "nemo-rl").err
