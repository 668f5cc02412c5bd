"""The reward file: what can be read of it, and how it does on a few rows of the user.

Reading it (:mod:`starforge.checks.reward_signature`) happens everywhere. Running it happens
only where its author sits (``context.trial``: ``sf validate``, ``sf plan``, ``sf submit``),
never on a server that got it as an upload. It runs in a child process with limits of time,
memory and file size, in an empty folder, without the environment of this process
(:mod:`starforge.checks.reward_run`), by the interpreter of the job's runtime where that is
installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from starforge.checks import rules_reward as rules
from starforge.checks.reward_imports import check_imports
from starforge.checks.reward_run import run_trial
from starforge.checks.reward_signature import Signature, Unusable, read_signature, reward_path
from starforge.findings import Finding, Location
from starforge.home import starforge_home
from starforge.i18n import Text
from starforge.lab.columns import BYTE_ORDER_MARK
from starforge.lab.context import PrepareContext
from starforge.runtimes import find
from starforge.runtimes.spec import names as runtime_names

ROWS = 4
SECONDS = 20.0  # for the import and one call
SLOW = 0.05  # seconds for one answer that are worth a warning: a batch has hundreds
# An answer is tried plainly and in the forms that rewards usually look for.
FORMS = (
    "{}", "The answer is {}.", "\\boxed{{{}}}", "<think>\n...\n</think>\n<answer>{}</answer>",
    "#### {}",
)  # fmt: skip
OTHERS = ("", "I don't know.")
REFERENCES = ("answer", "ground_truth", "solution", "target", "completion")


def check_reward(context: PrepareContext) -> Iterator[Finding]:
    """Yield what is wrong with the reward file, if the experiment has one."""
    path = reward_path(context)
    if path is None:
        return
    name = context.reward.file if context.reward is not None else None
    found = read_signature(path)
    if isinstance(found, Unusable):
        at = Location(file=name, line=found.line)
        yield rules.UNUSABLE.at(at, file=name, problem=found.problem)
        return
    wrong = list(check_imports(path, str(name)))
    yield from wrong
    if context.trial and not wrong:
        yield from _try(context, path, str(name), found)


def _try(
    context: PrepareContext, path: Path, name: str, signature: Signature | None
) -> Iterator[Finding]:
    rows = usable_rows(context, signature, ROWS)
    if not rows:
        return
    batch = make_batch(rows)
    outcome = run_trial(path, batch | {"again": True}, SECONDS, python=trial_python(context))
    at = Location(file=name, line=outcome.get("line"))
    count = len(batch["completions"])
    if outcome.get("late"):
        yield rules.SLOW.at(at, file=name, count=count, seconds=f"{SECONDS:g}+")
    elif "judge" in outcome:
        yield rules.JUDGE.at(at, file=name)
    elif "module" in outcome:
        yield rules.NOT_TRIED.at(at, file=name, module=outcome["module"])
    elif "problem" in outcome:
        problem = problem_text(outcome["problem"].removeprefix(path.name).strip(" :"))
        yield rules.FAILS.at(at, file=name, problem=problem)
    else:
        yield from _judged(at, name, outcome)


def _judged(at: Location, name: str, outcome: dict[str, Any]) -> Iterator[Finding]:
    rewards, seconds = outcome["rewards"], outcome["seconds"]
    if len(set(rewards)) == 1:
        yield rules.CONSTANT.at(at, file=name, value=rewards[0], count=len(rewards))
    if seconds / len(rewards) > SLOW:
        yield rules.SLOW.at(at, file=name, count=len(rewards), seconds=f"{seconds:.1f}")


def trial_python(context: PrepareContext) -> Path | None:
    """Return the interpreter that the job's reward will run in, when it is installed here."""
    name, device = context.recipe.runtime, "cuda" if context.resources.gpus else "cpu"
    found = find(starforge_home(), name, device) if name in runtime_names() else None
    return found.python if found is not None else None


def usable_rows(
    context: PrepareContext, signature: Signature | None, count: int
) -> list[dict[str, Any]]:
    """Return the first rows that the reward could be given; the others have their findings."""
    train = context.data.get("train")
    needed = {"prompt", *(signature.required if signature else ())}

    def usable() -> Iterator[dict[str, Any]]:
        # The beginning of a file is enough: the check of the data looks at all of it.
        for _, raw in islice(train.lines(), 100 + count) if train is not None else ():
            try:
                row = msgspec.json.decode(raw.removeprefix(BYTE_ORDER_MARK))
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue
            if isinstance(row, dict) and all(row.get(column) is not None for column in needed):
                yield row

    return list(islice(usable(), count))


def make_batch(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the arguments of one call: every row with right, wrong and empty answers."""
    prompts: list[Any] = []
    completions: list[str] = []
    chosen: list[dict[str, Any]] = []
    for row in rows:
        for completion in answers_of(row):
            prompts.append(row["prompt"])
            completions.append(completion)
            chosen.append(row)
    names = sorted({name for row in rows for name in row} - {"prompt"})
    columns = {name: [row.get(name) for row in chosen] for name in names}
    return {"prompts": prompts, "completions": completions, "columns": columns}


def answers_of(row: dict[str, Any]) -> list[str]:
    """Return right answers of a row in usual forms (where it has one), then others."""
    known = [row[c] for c in REFERENCES if isinstance(row.get(c), str | int | float)]
    right = [form.format(known[0]) for form in FORMS] if known else []
    return [*right, *OTHERS, "A first try.", "Another, longer answer: 1, 2 and 3."]


_KINDS: tuple[tuple[str, str, str], ...] = (
    (r"can't be imported: (.*)", "it can't be imported: {0}", "无法导入：{0}"),
    (r"raised (.*)", "it raised {0}", "抛出异常 {0}"),
    (r"returned (\d+) rewards for (\d+) completions",
     "it returned {0} rewards for {1} completions", "对 {1} 个回答返回了 {0} 个奖励"),
    (r"returned (.*), not a list of rewards",
     "it returned {0}, not a list of rewards", "返回的是 {0}，而不是奖励列表"),
    (r"reward (\d+) is (.*), not a finite number",
     "reward {0} is {1}, not a finite number", "第 {0} 个奖励是 {1}，不是有限的数"),
    (r"needs columns that the data lack: (.*)",
     "it needs columns that the data lack: {0}", "需要数据中没有的列：{0}"),
    (r"(TIME_LIMIT is .*), not a number of seconds above 0",
     "{0}, not a number of seconds above 0", "{0}，不是大于 0 的秒数"),
    (r"has no function `(\w+)`", "it has no function `{0}`", "其中没有函数 `{0}`"),
    (r"ends the process \(exit code (.*)\)",
     "it ends the process (exit code {0})", "它结束了进程（退出码 {0}）"),
    (r"forks, and the new process comes back from the call",
     "it forks, and the new process comes back from the call: end it with os._exit",
     "它 fork 出的进程会从调用中返回：请用 os._exit 结束该进程"),
    (r"ended without an answer \(exit code (.*)\)",
     "its process ended without an answer (exit code {0})",
     "进程没有给出结果就结束了（退出码 {0}）"),
)  # fmt: skip


def problem_text(problem: str) -> Text:
    """Say in both languages what the driver says of a reward file."""
    for pattern, english, chinese in _KINDS:
        match = re.fullmatch(pattern, problem, re.DOTALL)
        if match is not None:
            return Text(english.format(*match.groups()), chinese.format(*match.groups()))
    return Text(problem, problem)
