"""Run a reward file in a child process, as a job would, and return what came of it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

from starforge import layout
from starforge.checks.reward_problems import ended

JUDGE = "STARFORGE_JUDGE_"
_KEPT = ("PATH", "LANG", "LC_ALL", "TZ")
_OF_JUDGES = (
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "XDG_CACHE_HOME", "HOME",
)  # fmt: skip


def run_trial(
    path: Path,
    batch: dict[str, Any],
    seconds: float,
    *,
    python: Path | None = None,
    judge: bool = False,
) -> dict[str, Any]:
    """Call a reward file in a child process and return what came of it.

    ``batch`` is ``{prompts, completions, columns}``. With ``again`` a second call counts when
    it is faster; with ``sizes`` calls with so many completions are measured. ``python`` is the
    interpreter (this one); ``judge`` lets the file ask its judge, which gets this environment's
    settings of it. Returns ``rewards``, ``parts``, ``seconds``, ``weights`` (the names
    in ``WEIGHTS``), ``wrote`` (a file elsewhere that it wrote) and ``time_limit`` (and ``calls``:
    the seconds of each call by size), or ``problem`` (with ``module``, ``judge`` or ``line``),
    or ``late`` when it was not done in time.
    """
    ours = resources.files("starforge")
    script = ours.joinpath("checks", "reward_trial.py")
    driver = ours.joinpath("frameworks", "_drivers", "reward_file.py")
    with tempfile.TemporaryDirectory(prefix="starforge-reward-") as folder:
        result, library, work = (Path(folder, name) for name in ("result.json", "lib", "work"))
        _write_library(library)
        work.mkdir()
        argv = [str(python or sys.executable), "-I", "-B", str(script), str(driver), str(path),
                str(result), str(library), str(seconds)]  # fmt: skip
        child = subprocess.Popen(
            argv, cwd=work, env=_environment(work, judge=judge), stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        try:
            child.communicate(json.dumps(batch).encode(), timeout=seconds)
        except subprocess.TimeoutExpired:
            return {"late": True}
        except BrokenPipeError:
            pass  # it ended before it read; its exit says why
        finally:
            _end(child)
        try:
            outcome: dict[str, Any] = json.loads(result.read_bytes())
        except (OSError, ValueError):
            return {"problem": ended(child.returncode)}
    return outcome


def _write_library(folder: Path) -> None:
    """Write what a job finds as the package ``starforge``."""
    for name, text in {"__init__.py": "", **layout.library_sources()}.items():
        path = folder / "starforge" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the child and everything it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _environment(work: Path, *, judge: bool) -> dict[str, str]:
    """Return what the child may know: no tokens and keys, no GPUs, no hub."""
    made = {
        "HOME": str(work), "TMPDIR": str(work), "CUDA_VISIBLE_DEVICES": "",
        "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "STARFORGE_JUDGE_OFF": "1",
        layout.ENV_OUTPUT_DIR: str(work),
        "SF_LANG": "en",  # of what comes back, `reward_problems` makes both languages
    }  # fmt: skip
    if judge:
        del made["STARFORGE_JUDGE_OFF"]
        made |= {k: v for k, v in os.environ.items() if k in _OF_JUDGES or k.startswith(JUDGE)}
    return {k: v for k, v in os.environ.items() if k in _KEPT} | made
