"""Run pip for a runtime and turn what it prints into progress and clear errors."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import signal
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO

from starforge.errors import StarForgeError
from starforge.i18n import Text, t
from starforge.runtimes.children import bound
from starforge.runtimes.registry import installed_versions, interpreter
from starforge.runtimes.spec import LockStep, Runtime, normalized

# From an index, or a file of a local folder of packages
_FOUND = re.compile(
    r"^(?:Collecting |Processing (?:\S*/)?)(?P<name>[A-Za-z0-9._-]+?)(?:[=<>!~\s\[]|-\d|$)"
)
_INSTALLING = "Installing collected packages"
_POLL = 0.5  # seconds between two looks at how many packages are installed
_NOISE = re.compile(r"^(WARNING: (Location|Cache|There was an error checking)|\[notice\])")
# As setuptools says it, whichever compiler it looked for
_NO_COMPILER = re.compile(
    r"error: (?:\[Errno 2\] No such file or directory: '\S*(?:cc|clang|\+\+)\S*'"
    r"|command '\S*(?:cc|clang|\+\+)\S*' failed: No such file)"
)

Tell = Callable[[str, int | None, int | None], None]


class PipRun:
    """The runs of pip for a lock. Each package counts twice: found, then installed."""

    def __init__(
        self, folder: Path, spec: Runtime, *, stream: IO[str], log: Path, tell: Tell
    ) -> None:
        self.folder = folder
        self.spec = spec
        self.stream = stream
        self.log = log
        self.tell = tell
        self.wanted = {normalized(one.name) for one in spec.packages}
        self.total = 2 * len(self.wanted)
        self.found: set[str] = set()
        self.installed = 0
        self.tail: list[str] = []

    def run(self) -> None:
        """Run pip for every step; raises :class:`StarForgeError` when one fails."""
        for number, step in enumerate(self.spec.steps, start=1):
            wanted = self.folder / f"lock-{number}.txt"
            lines = [f"{package.name}=={package.version}\n" for package in step.packages]
            wanted.write_text("".join(lines), "utf-8")
            self._run(step, wanted)

    def _run(self, step: LockStep, wanted: Path) -> None:
        process = subprocess.Popen(
            bound([str(interpreter(self.folder)), "-m", "pip", "install", "--no-input",
                   "--progress-bar", "off", "--disable-pip-version-check", *step.options,
                   "-r", str(wanted)]),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            text=True, encoding="utf-8", errors="replace", start_new_session=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"} | step.env,
        )  # fmt: skip
        try:
            self._follow(process)
        except BaseException:
            # Ctrl-C, or a failing progress callback: pip must not go on alone.
            _kill_group(process)
            raise
        if process.returncode:
            raise self._failed(process.returncode)

    def _follow(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        lines: queue.Queue[str | None] = queue.Queue()
        reader = threading.Thread(target=_pump, args=(process.stdout, lines), daemon=True)
        reader.start()
        installing = False
        while True:
            try:
                line = lines.get(timeout=_POLL if installing else None)
            except queue.Empty:
                self._count_installed()
                continue
            if line is None:
                break
            installing = installing or line.startswith(_INSTALLING)
            self._take(line)
        process.wait()
        reader.join()
        self.installed = len(self.wanted & installed_versions(self.folder).keys())

    def _take(self, line: str) -> None:
        self.stream.write(line)
        self.stream.flush()
        text = line.rstrip()
        if text and not _NOISE.match(text):
            self.tail = [*self.tail[-39:], text]
        match = _FOUND.match(text)
        if match and normalized(match["name"]) in self.wanted:
            self.found.add(normalized(match["name"]))
            self.tell(t("finding {name}", "正在获取 {name}", name=match["name"]),
                      len(self.found) + self.installed, self.total)  # fmt: skip

    def _count_installed(self) -> None:
        # A lock has several steps: what is found of one comes after what another installed.
        self.installed = len(self.wanted & installed_versions(self.folder).keys())
        self.tell(t("installing packages", "正在安装软件包"),
                  len(self.found) + self.installed, self.total)  # fmt: skip

    def _failed(self, code: int) -> StarForgeError:
        said = _relevant(self.tail)
        shown = "\n".join(f"  {line}" for line in said)
        return StarForgeError(
            "runtime/pip",
            Text(f"pip could not install the runtime `{self.spec.name}` (exit code {code}):\n"
                 f"{shown}\nfull log: {self.log}",
                 f"pip 未能安装运行环境 `{self.spec.name}`（退出码 {code}）：\n"
                 f"{shown}\n完整日志：{self.log}"),
            _advice(said),
        )  # fmt: skip


def _pump(source: IO[str], lines: queue.Queue[str | None]) -> None:
    for line in source:
        lines.put(line)
    lines.put(None)


def _kill_group(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _relevant(tail: list[str]) -> list[str]:
    """Return the lines that say what went wrong: errors, else the last lines."""
    errors = [
        line for line in tail
        if "ERROR" in line or "No space left" in line or _NO_COMPILER.search(line)
    ]  # fmt: skip
    return (errors or tail)[-5:]


def _advice(said: list[str]) -> Text:
    text = " ".join(said)
    if "No space left" in text or "Disk quota" in text:
        return Text("free some disk space (also where TMPDIR points), then run it again",
                    "请清理磁盘空间（包括 TMPDIR 所在位置），然后重试")  # fmt: skip
    if _NO_COMPILER.search(text):
        return Text("a package exists as source only and needs a C compiler (on Debian and Ubuntu "
                    "the package build-essential); install one, then run it again",
                    "有的包只有源码，需要 C 编译器（在 Debian、Ubuntu 上是 build-essential 包）；"
                    "请安装后重试")  # fmt: skip
    if "No matching distribution" in text or "Could not find a version" in text:
        return Text("the index that pip is configured with does not have this version for your "
                    "Python and platform; see `pip config list`",
                    "pip 所用的索引没有适合当前 Python 和平台的这个版本；"
                    "可用 `pip config list` 查看")  # fmt: skip
    return Text("check the network and `pip config list`, then run it again: nothing was changed",
                "请检查网络和 `pip config list` 后重试；没有留下任何改动")  # fmt: skip
