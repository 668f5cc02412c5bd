"""Run a script with everything that trains replaced by a recorder (``sf import --run``).

The script runs in a temporary copy of its folder, with a time limit. Interpreters and
launchers on its PATH are stand-ins that write down the words they are given and succeed;
everything else of the script really runs.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from starforge.convert.shell import Arg, Command, Reading
from starforge.errors import StarForgeError
from starforge.i18n import Text

SHIMS = ("python", "python3", "torchrun", "deepspeed", "accelerate", "ray", "uv", "trl",
         "srun", "sbatch", "docker", "pip", "pip3", "conda", "wandb", "huggingface-cli", "hf",
         "nvidia-smi", "sleep", "sudo", "ssh", "rm")  # fmt: skip
TIME_LIMIT = 60.0  # seconds
_COPY_BYTES = 64 << 20
_COPY_FILES = 2000
_LOG = "STARFORGE_RECORDER_LOG"
_OWN = frozenset({"PATH", "PWD", "OLDPWD", "SHLVL", "_", _LOG})

# Standard library only, and started without site packages: a script may call it often.
_SHIM = """\
#!{python} -IS
import json, os, sys
name, args = os.path.basename(sys.argv[0]), sys.argv[1:]
if name.startswith("python") and args[:1] == ["-c"]:
    os.execv({python!r}, [{python!r}, *args])
record = {{"argv": [name, *args], "folder": os.getcwd(), "env": dict(os.environ)}}
with open(os.environ[{log!r}], "a", encoding="utf-8") as stream:
    stream.write(json.dumps(record) + "\\n")
"""


class _Record(msgspec.Struct):
    argv: list[str]
    folder: str
    env: dict[str, str]


def record_script(
    script: Path, arguments: Sequence[str] = (), *, time_limit: float = TIME_LIMIT
) -> Reading:
    """Return the commands that a script comes to when it runs.

    Raises :class:`StarForgeError` when it is not finished in time, or there is no bash.
    """
    bash = shutil.which("bash")
    if bash is None:
        raise _failed(script, Text("there is no bash on this machine", "本机没有 bash"))
    with tempfile.TemporaryDirectory(prefix="starforge-import-") as name:
        base = Path(name)
        folder = _copy(script.absolute().parent, base / "work", script.name)
        log = base / "log.jsonl"
        log.touch()
        env = _environment(base / "bin", log)
        _run([bash, script.name, *arguments], folder, env, script, time_limit)
        return _reading(log, folder, script.absolute().parent, env)


def _copy(source: Path, target: Path, script: str) -> Path:
    """Copy the script's folder, or the script alone where that would be much."""
    size = 0
    for files, file in enumerate(_files(source), start=1):
        size += file.stat().st_size
        if size > _COPY_BYTES or files > _COPY_FILES:
            target.mkdir()
            shutil.copy2(source / script, target / script)
            return target
    shutil.copytree(source, target, symlinks=True)
    return target


def _files(folder: Path) -> Iterator[Path]:
    for root, _, names in os.walk(folder):
        yield from (path for name in names if (path := Path(root, name)).is_file())


def _environment(shims: Path, log: Path) -> dict[str, str]:
    shims.mkdir()
    text = _SHIM.format(python=sys.executable, log=_LOG)
    for name in SHIMS:
        file = shims / name
        file.write_text(text, "utf-8")
        file.chmod(0o755)
    path = f"{shims}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return {**os.environ, "PATH": path, _LOG: str(log)}


def _run(
    words: list[str], folder: Path, env: dict[str, str], script: Path, time_limit: float
) -> None:
    process = subprocess.Popen(
        words, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        process.wait(time_limit)
    except subprocess.TimeoutExpired as error:
        why = Text(f"it did not end within {time_limit:g} seconds", f"{time_limit:g} 秒内没有结束")
        raise _failed(script, why) from error
    finally:
        # What it left in the background goes, too.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _reading(log: Path, folder: Path, real: Path, env: dict[str, str]) -> Reading:
    commands = []
    for line in log.read_bytes().splitlines():
        one = msgspec.json.decode(line, type=_Record)
        # Places in the copy are places in the real folder.
        argv = [word.replace(str(folder), str(real)) for word in one.argv]
        place = Path(one.folder.replace(str(folder), str(real)))
        new = {k: v for k, v in one.env.items() if env.get(k) != v and k not in _OWN}
        commands.append(Command(args=[Arg(word) for word in argv], folder=place, env=new))
    return Reading(commands=commands, skipped=[], exported={}, from_outside=set(), unset=set())


def _failed(script: Path, why: Text) -> StarForgeError:
    return StarForgeError(
        "import/run-failed",
        Text(f"{script.name} could not be recorded: {why.en}",
             f"无法记录 {script.name}：{why.zh}"),
        Text("give the training command itself after `--`", "请在 `--` 之后直接写训练命令"),
    )  # fmt: skip
