"""How failures leave ``sf``."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from starforge.cli import root as root_module
from starforge.cli.table import Lazy
from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Text


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch):
    """Make ``sf boom`` raise what the test wants."""

    def install(error: BaseException) -> None:
        @click.command("boom")
        @click.option("--json", "as_json", is_flag=True)
        def boom(as_json: bool) -> None:
            raise error

        lazy = Lazy("boom", "boom", ("", ""))
        monkeypatch.setitem(root_module.COMMANDS, "boom", lazy)
        original = root_module.Root.get_command
        monkeypatch.setattr(
            root_module.Root,
            "get_command",
            lambda self, ctx, name: boom if name == "boom" else original(self, ctx, name),
        )

    return install


def test_an_expected_error(sf, failing) -> None:
    failing(
        StarForgeError(
            "x/away",
            Text("it is away", "它不在"),
            Text("wait", "等一等"),
            exit_code=ExitCode.UNREACHABLE,
        )
    )
    shown = sf("boom")
    assert (shown.code, shown.out, shown.err) == (3, "", "error: it is away\nhint: wait\n")
    assert sf("--lang", "zh", "boom").err == "错误：它不在\n提示：等一等\n"
    as_json = sf("boom", "--json")
    assert as_json.json == {"error": {"code": "x/away", "message": "it is away", "hint": "wait"}}


def test_a_defect_is_one_line_and_a_traceback_only_when_asked(
    sf, failing, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing(ZeroDivisionError("oh"))
    shown = sf("boom")
    assert shown.code == 1
    assert "ZeroDivisionError: oh" in shown.err and "Traceback" not in shown.err
    assert "SF_DEBUG=1" in shown.err
    monkeypatch.setenv("SF_DEBUG", "1")
    assert "Traceback" in sf("boom").err


def test_interrupt(sf, failing) -> None:
    failing(KeyboardInterrupt())
    shown = sf("boom")
    assert shown.code == 130
    assert "Traceback" not in shown.err


def test_server_away_and_unusable_logins(
    sf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STARFORGE_URL", "http://127.0.0.1:9")
    shown = sf("job", "ls")
    assert shown.code == 3
    assert shown.err.startswith("error: the server at http://127.0.0.1:9 can't be reached")
    assert sf("status").code == 3
    assert sf("login", "http://127.0.0.1:9").code == 3
    monkeypatch.delenv("STARFORGE_URL")
    config = tmp_path / "config/starforge/config.json"
    config.parent.mkdir(parents=True)
    config.write_text("{")
    broken = sf("job", "ls")
    assert broken.code == 1 and str(config) in broken.err
    assert sf("logout").code == 0
    assert not config.exists()


def test_methods_fall_back_to_the_bundled_catalog(sf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STARFORGE_URL", "http://127.0.0.1:9")
    shown = sf("methods")
    assert shown.code == 0
    assert "trl/sft" in shown.out and "can't be reached" in shown.err


def test_a_home_that_cannot_be_made(sf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("STARFORGE_HOME", str(tmp_path / "file" / "home"))
    shown = sf("job", "ls")
    assert shown.code == 3
    assert "did not start" in shown.err and "STARFORGE_HOME" in shown.err
    assert (tmp_path / "file").read_text() == ""


def test_nothing_runs(sf) -> None:
    assert sf("status", "--json").json["running"] is False
    assert sf("down").code == 0
    assert sf("version", "--json").json["server"] is None
