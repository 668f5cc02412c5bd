"""Load a user's reward function and call it, the same way for every framework.

The contract: ``def reward(prompts, completions, **columns)``, plain or ``async``, returns a
list with one number, or one dictionary of named numbers, for each completion. ``prompts`` are
as in the data (text or messages), ``completions`` are texts. A column of the data is passed
when the signature names it, all of them when it ends in ``**columns``. Named parts are added
up with the weights of the file's ``WEIGHTS`` (1 where a name is missing there), or with those
that came with them (``starforge.rewards.weighted``). A call may take ``TIME_LIMIT`` seconds, a
constant of the file (300 without one, no limit with ``None``).

Standard library only: it runs in the processes of four frameworks.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import inspect
import json
import math
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

from starforge import layout
from starforge.lang import t
from starforge.rewards.watchdog import LateError, Watchdog

FUNCTION = "reward"
LIMIT = "TIME_LIMIT"
WEIGHTS = "WEIGHTS"
TIME_LIMIT = 300.0  # seconds a call may take where the file says nothing
# In the attempt's folder: why the reward failed, for the driver; all columns of the data
ERROR_FILE = "reward-error.txt"
COLUMNS_FILE = "reward-columns.json"


class RewardError(Exception):
    """The reward function can't be used, or answered with something that is no reward."""


class Score(NamedTuple):
    """The reward of one completion, and its named parts as the function gave them."""

    total: float
    parts: dict[str, float]


class RewardFile:
    """A reward function from a file. Calling it returns one :class:`Score` a completion.

    ``watched``: its calls are held to the file's time limit. A call that can't be left (in
    native code) ends the process with the reason in :data:`ERROR_FILE`.
    """

    def __init__(self, path: Path, *, watched: bool = True) -> None:
        self.path = path
        module = _load(path)
        function = getattr(module, FUNCTION, None)
        if not callable(function):
            raise RewardError(
                t("{file} has no function `{name}`", "{file} 中没有函数 `{name}`",
                  file=path.name, name=FUNCTION)
            )  # fmt: skip
        self._function: Callable[..., Any] = function
        self.weights = _weights(path, module)
        self.time_limit = _time_limit(path, module)
        self._watchdog = _watchdog(path, self.time_limit) if watched else None
        parameters = inspect.signature(function).parameters.values()
        self.takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters)
        self.columns = [
            p.name for p in parameters
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
            and p.name not in ("prompts", "completions")
        ]  # fmt: skip
        self.required = [
            p.name for p in parameters
            if p.name in self.columns and p.default is inspect.Parameter.empty
        ]  # fmt: skip

    def __call__(
        self,
        prompts: Sequence[Any],
        completions: Sequence[str],
        columns: Mapping[str, Sequence[Any]],
    ) -> list[Score]:
        """Score ``completions``; raises :class:`RewardError` for what is no list of rewards."""
        missing = [name for name in self.required if name not in columns]
        if missing:
            raise RewardError(
                t("{file} needs columns that the data lack: {names}",
                  "{file} 需要数据中没有的列：{names}",
                  file=self.path.name, names=", ".join(missing))
            )  # fmt: skip
        chosen = (
            columns if self.takes_all else {n: columns[n] for n in self.columns if n in columns}
        )
        passed = {name: list(values) for name, values in chosen.items()}
        try:
            with self._watchdog.watch() if self._watchdog else contextlib.nullcontext():
                answer = self._function(list(prompts), list(completions), **passed)
                if inspect.isawaitable(answer):
                    answer = _wait_for(answer)
        except LateError as error:
            raise RewardError(self._late(error)) from error
        except Exception as error:
            raise RewardError(
                t("{file} raised {kind}: {reason}", "{file} 抛出异常 {kind}: {reason}",
                  file=self.path.name, kind=type(error).__name__, reason=error)
            ) from error  # fmt: skip
        return self._scores(answer, len(completions))

    def _late(self, error: LateError) -> str:
        """Say where the function was when its time was up."""
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if Path(frame.filename) == self.path]
        if not own:
            return _too_long(self.path, self.time_limit)
        where = t("; it was in line {line}, in {name}", "，当时在第 {line} 行的 {name} 中",
                  line=own[-1].lineno, name=own[-1].name)  # fmt: skip
        return _too_long(self.path, self.time_limit) + where

    def _scores(self, answer: Any, expected: int) -> list[Score]:
        if not isinstance(answer, Sequence) or isinstance(answer, str):
            if not hasattr(answer, "tolist"):
                raise RewardError(
                    t("{file} returned {kind}, not a list of rewards",
                      "{file} 返回的是 {kind}，而不是奖励列表",
                      file=self.path.name, kind=type(answer).__name__)
                )  # fmt: skip
            answer = answer.tolist()
        if len(answer) != expected:
            raise RewardError(
                t("{file} returned {found} rewards for {expected} completions",
                  "{file} 对 {expected} 个回答返回了 {found} 个奖励",
                  file=self.path.name, found=len(answer), expected=expected)
            )  # fmt: skip
        return [self._score(value, number) for number, value in enumerate(answer, start=1)]

    def _score(self, value: Any, number: int) -> Score:
        if not isinstance(value, Mapping):
            return Score(self._number(value, number), {})
        parts = {str(name): self._number(part, number) for name, part in value.items()}
        weights: Mapping[str, float] = getattr(value, "weights", self.weights)
        total = sum(weights.get(name, 1.0) * part for name, part in parts.items())
        return Score(float(total), parts)

    def _number(self, value: Any, number: int) -> float:
        try:
            result = float(value)
        except (TypeError, ValueError):
            result = math.nan
        if not math.isfinite(result):
            raise RewardError(
                t("{file}: reward {number} is {value!r}, not a finite number",
                  "{file}：第 {number} 个奖励是 {value!r}，不是有限的数",
                  file=self.path.name, number=number, value=value)
            )  # fmt: skip
        return result


def note_columns(files: Iterable[Path], folder: Path) -> None:
    """Write down what columns the rows of all ``files`` have, for :func:`with_all_columns`."""
    names: set[str] = set()
    for file in files:
        with file.open("rb") as stream:
            for line in stream:
                if line.strip():
                    names |= json.loads(line).keys()
    (folder / COLUMNS_FILE).write_text(json.dumps(sorted(names - {"prompt"})), "utf-8")


def with_all_columns(columns: Mapping[str, Any], folder: Path) -> dict[str, list[Any]]:
    """Return the columns of one row as lists, ``None`` where other rows only have one.

    So a function that is given one row at a time gets what it gets with whole batches.
    """
    return {name: [columns.get(name)] for name in (*_noted(folder), *columns)}


@cache
def _noted(folder: Path) -> tuple[str, ...]:
    try:
        return tuple(json.loads((folder / COLUMNS_FILE).read_text("utf-8")))
    except OSError:
        return ()


def _time_limit(path: Path, module: Any) -> float | None:
    value = getattr(module, LIMIT, TIME_LIMIT)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        raise RewardError(
            t("{file}: {name} is {value!r}, not a number of seconds above 0",
              "{file}：{name} 是 {value!r}，不是大于 0 的秒数",
              file=path.name, name=LIMIT, value=value)
        )  # fmt: skip
    return float(value)


def _weights(path: Path, module: Any) -> dict[str, float]:
    value = getattr(module, WEIGHTS, {})
    fine = isinstance(value, Mapping) and all(
        isinstance(one, Real) and not isinstance(one, bool) and math.isfinite(one)
        for one in value.values()
    )
    if not fine:
        raise RewardError(
            t("{file}: {name} is {value!r}, not a dictionary of finite numbers",
              "{file}：{name} 是 {value!r}，不是由有限的数组成的字典",
              file=path.name, name=WEIGHTS, value=value)
        )  # fmt: skip
    return {str(name): float(one) for name, one in value.items()}


def _too_long(path: Path, seconds: float | None) -> str:
    return t("{file} took longer than {seconds:g} seconds for one call ({name})",
             "{file} 的一次调用超过了 {seconds:g} 秒（{name}）",
             file=path.name, seconds=seconds, name=LIMIT)  # fmt: skip


def _watchdog(path: Path, seconds: float | None) -> Watchdog | None:
    if seconds is None:
        return None
    folder = os.environ.get(layout.ENV_ATTEMPT_DIR)
    place = Path(folder) / ERROR_FILE if folder else None
    return Watchdog(seconds, _too_long(path, seconds), place)


def _load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location("starforge_user_reward", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise RewardError(t("there is no Python file {path}", "没有 Python 文件 {path}", path=path))
    module = importlib.util.module_from_spec(spec)
    _forget_neighbours(path.parent)
    # The file may import its neighbours.
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    _folders.add(str(path.parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise RewardError(
            t("{file} can't be imported: {kind}: {reason}", "{file} 无法导入：{kind}: {reason}",
              file=path.name, kind=type(error).__name__, reason=error)
        ) from error  # fmt: skip
    return module


_folders: set[str] = set()  # of reward files that this process has loaded


def _forget_neighbours(folder: Path) -> None:
    """Let go of modules beside an earlier reward file, which may have the names of these."""
    for old in _folders - {str(folder)}:
        for name, module in list(sys.modules.items()):
            if str(Path(getattr(module, "__file__", None) or "/").parent) == old:
                del sys.modules[name]
        if old in sys.path:
            sys.path.remove(old)
        _folders.discard(old)


def _wait_for(answer: Any) -> Any:
    """Wait for an async function, also when this thread already runs an event loop."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_await(answer))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, _await(answer)).result()


async def _await(answer: Any) -> Any:
    return await answer
