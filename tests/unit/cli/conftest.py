"""A lab, a private home, and a way to run ``sf`` in this process."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from click.testing import CliRunner

from starforge.cli.root import root
from starforge.lang import set_lang


class Ran(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Sf = Callable[..., Ran]


@pytest.fixture(autouse=True)
def private_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """No test sees the user's state, login or language."""
    home = tmp_path / "home"
    for name in ("STARFORGE_URL", "STARFORGE_TOKEN", "STARFORGE_RUNTIMES", "SF_DEBUG", "LC_ALL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("STARFORGE_HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SF_LANG", "en")
    set_lang(None)
    yield home
    set_lang(None)


@pytest.fixture
def sf() -> Sf:
    def run(*args: str, given: str | None = None) -> Ran:
        result = CliRunner().invoke(root, list(args), input=given)
        set_lang(None)
        return Ran(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sf: Sf) -> Path:
    """A lab with the experiment ``mine`` (trl/sft); the working folder is in it."""
    folder = tmp_path / "lab"
    assert sf("init", str(folder)).code == 0
    monkeypatch.chdir(folder)
    made = sf("new", "mine", "--method", "trl/sft")
    assert made.code == 0, made.err
    return folder
