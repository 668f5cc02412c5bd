"""The reward file: what can be read of it, and how it does on a few rows of the user.

Reading it (:mod:`starforge.checks.reward_signature`) happens everywhere. Running it happens
only where its author sits (``context.trial``: ``sf validate``, ``sf plan``, ``sf submit``),
never on a server that got it as an upload. It runs in a child process with limits of time,
memory and file size, in an empty folder, without the environment of this process
(:mod:`starforge.checks.reward_run`), by the interpreter of the job's runtime where that is
installed.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from starforge.checks import rules_reward as rules
from starforge.checks.reward_imports import check_imports
from starforge.checks.reward_problems import problem_of
from starforge.checks.reward_run import run_trial
from starforge.checks.reward_signature import (
    Signature,
    Unusable,
    read_signature,
    reward_path,
    time_limit,
)
from starforge.findings import Finding, Location, nearest
from starforge.home import starforge_home
from starforge.lab.assign import did_you_mean
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
CODE_FORMS = ("```python\n{}\n```", "{}", "It goes like this:\n\n```python\n{}\n```\n")
TESTS = "tests"  # the column of rows whose answers are code
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
        yield from _pace(at, name, count, SECONDS, time_limit(path))
    elif "judge" in outcome:
        yield rules.JUDGE.at(at, file=name)
    elif "module" in outcome:
        yield rules.NOT_TRIED.at(at, file=name, module=outcome["module"])
    elif "problem" in outcome:
        problem = problem_of(outcome["problem"], path.name)
        yield rules.FAILS.at(at, hint=problem.hint, file=name, problem=problem.text)
    else:
        yield from _judged(at, name, outcome)


def _judged(at: Location, name: str, outcome: dict[str, Any]) -> Iterator[Finding]:
    rewards, seconds, count = outcome["rewards"], outcome["seconds"], len(outcome["rewards"])
    yield from _weights(at, name, outcome)
    if len(set(rewards)) == 1:
        yield rules.CONSTANT.at(at, file=name, value=rewards[0], count=count)
    yield from _pace(at, name, count, seconds, outcome["time_limit"])
    if outcome.get("wrote"):
        yield rules.WRITES.at(at, file=name, path=outcome["wrote"])


def _pace(
    at: Location, name: str, count: int, seconds: float, limit: float | None
) -> Iterator[Finding]:
    """Say that it is slow; beyond the file's own limit is worse than that."""
    shown = f"{SECONDS:g}+" if seconds >= SECONDS else f"{seconds:.1f}"
    if limit is not None and seconds >= limit:
        yield rules.LATE.at(at, file=name, count=count, seconds=shown, limit=f"{limit:g}")
    elif seconds >= SECONDS or seconds / count > SLOW:
        yield rules.SLOW.at(at, file=name, count=count, seconds=shown)


def _weights(at: Location, name: str, outcome: dict[str, Any]) -> Iterator[Finding]:
    """Yield the names that only ``WEIGHTS`` knows: what they were meant for counts fully."""
    parts = list(dict.fromkeys(part for one in outcome["parts"] for part in one))
    for weight in outcome["weights"]:
        if weight not in parts:
            hint = did_you_mean(nearest(weight, parts, count=1))
            known = ", ".join(parts) or "-"
            yield rules.WEIGHTS.at(at, hint=hint, file=name, name=weight, known=known)


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
    forms = CODE_FORMS if row.get(TESTS) else FORMS
    right = [form.format(known[0]) for form in forms] if known else []
    return [*right, *OTHERS, "A first try.", "Another, longer answer: 1, 2 and 3."]
