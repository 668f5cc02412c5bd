"""Checks of a benchmark job: benchmarks, their items, code, chat template."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from starforge import layout
from starforge.checks import rules_evaluation as rules
from starforge.checks.benchmarks import (
    EVALSCOPE,
    TASKS,
    chosen_names,
    harness_of,
    hub_dataset,
    pack_file,
    pack_roots,
)
from starforge.checks.model import has_chat_template
from starforge.errors import StarForgeError
from starforge.evals.generators import generate
from starforge.evals.library import bundled, find_pack, pack_names
from starforge.evals.pack import Generated, Pack
from starforge.findings import Finding, nearest
from starforge.i18n import Text
from starforge.lab.assign import did_you_mean
from starforge.lab.context import PrepareContext

MOST_ROWS = 5  # findings about rows of one file


def check_evaluation(context: PrepareContext) -> list[Finding]:
    """Return what is wrong with the benchmarks of an experiment."""
    packs, findings = _packs(context)
    for pack in packs:
        findings += _check_pack(context, pack)
    findings += _check_test(context, packs)
    findings += _check_template(context)
    return findings


def _packs(context: PrepareContext) -> tuple[list[Pack], list[Finding]]:
    at = context.config.at(TASKS)
    chosen = context.config.get(TASKS) or []
    findings = [
        rules.NOT_A_NAME.at(at, value=value) for value in chosen if not isinstance(value, str)
    ]
    names, roots = chosen_names(context), pack_roots(context)
    if not names and not findings:
        findings.append(rules.NO_BENCHMARKS.at(at))
    known = pack_names(roots)
    packs = []
    for name in names:
        if name not in known:
            near = did_you_mean(nearest(name, known))
            findings.append(
                rules.UNKNOWN_BENCHMARK.at(at, hint=near, name=name, known=", ".join(known))
            )
            continue
        try:
            packs.append(find_pack(name, roots))
        except StarForgeError as error:
            findings.append(rules.BROKEN_PACK.at(at, hint=error.hint, problem=error.message))
    return packs, findings


def _check_pack(context: PrepareContext, pack: Pack) -> list[Finding]:
    at = context.config.at(TASKS)
    findings = []
    if pack.executes_code and not context.config.get("confirm_run_unsafe_code"):
        findings.append(rules.CODE_NOT_ALLOWED.at(at, name=pack.name))
    if pack.data is not None:
        return findings + _check_own_items(context, pack)
    if pack.takes_rows and "test" in context.data:
        return findings
    dataset = hub_dataset(context, pack)
    findings += _base_task(context, pack)
    if dataset is not None:
        findings.append(rules.NEEDS_HUB.at(at, name=pack.name, dataset=dataset))
    elif pack.task is not None:
        findings.append(rules.NO_ITEMS.at(
            at, name=pack.name,
            problem=Text("the pack has none of its own", "评测包自身不带题目"),
            way=Text("give them as data.test in experiment.yaml",
                     "请在 experiment.yaml 里用 data.test 指定"),
        ))  # fmt: skip
    return findings


def _base_task(context: PrepareContext, pack: Pack) -> list[Finding]:
    """Tell of one of lm-eval's tasks that only makes sense without a chat template."""
    task = pack.hub.task if pack.hub else ""
    asked = context.config.get("apply_chat_template") and harness_of(context) != EVALSCOPE
    if not asked or task not in rules.CHAT_TASKS:
        return []
    at = context.config.at(TASKS)
    instead = rules.CHAT_TASKS[task]
    return [rules.BASE_TASK.at(at, name=pack.name, task=task, instead=instead)]


def _check_own_items(context: PrepareContext, pack: Pack) -> list[Finding]:
    at = context.config.at(TASKS)
    if pack.data is not None and isinstance(pack.data.test, Generated):
        try:
            generate(pack.data.test)
        except StarForgeError as error:
            return [rules.BROKEN_PACK.at(at, hint=error.hint, problem=error.message)]
        return []
    file = pack.data_file
    assert file is not None
    if not file.is_file():
        problem = Text(f"there is no file {file}", f"没有文件 {file}")
        way = Text("put the file there, or correct `data.test` in pack.yaml",
                   "请放入该文件，或修改 pack.yaml 中的 `data.test`")  # fmt: skip
        return [rules.NO_ITEMS.at(at, name=pack.name, problem=problem, way=way)]
    name = pack_file(context, pack)
    sent = {one.path for one in context.code_files}
    if name is not None and f"{layout.CODE}/{name}" not in sent:
        problem = Text("its files do not travel with the experiment", "它的文件没有随实验提交")
        way = Text(f"name `{pack.name}` in experiment.yaml rather than with --set, and see that "
                   ".sfignore does not exclude it",
                   f"请在 experiment.yaml 里写明 `{pack.name}`，不要用 --set，"
                   "并确认它没有被 .sfignore 排除")  # fmt: skip
        return [rules.NO_ITEMS.at(at, name=pack.name, problem=problem, way=way)]
    if pack.source == "bundled":
        return []
    return _bad_rows(context, pack, file.name, _lines(file))


def _check_test(context: PrepareContext, packs: list[Pack]) -> list[Finding]:
    test = context.data.get("test")
    if test is None:
        return []
    takers = [pack for pack in packs if pack.takes_rows]
    if len(takers) != 1:
        known = sorted(pack.name for pack in bundled().values() if pack.takes_rows)
        listed = ", ".join(pack.name for pack in takers) or ", ".join(known)
        return [rules.TEST_NOT_TAKEN.at(context.at("data.test"), count=len(takers), takers=listed)]
    return _bad_rows(context, takers[0], test.shown, test.lines())


def _bad_rows(
    context: PrepareContext, pack: Pack, file: str, lines: Iterable[tuple[int, bytes]]
) -> list[Finding]:
    findings: list[Finding] = []
    at = context.at("data.test") if "test" in context.data else context.config.at(TASKS)
    for number, line in lines:
        problem = _row_problem(line, pack.columns)
        if problem is not None:
            findings.append(rules.BAD_ITEMS.at(
                at, file=file, row=number, problem=problem, name=pack.name,
                columns=", ".join(pack.columns) or "-",
            ))  # fmt: skip
        if len(findings) == MOST_ROWS:
            break
    return findings


def _row_problem(line: bytes, columns: list[str]) -> Text | None:
    try:
        row = json.loads(line)
    except ValueError:
        return Text("it is not JSON", "不是合法的 JSON")
    if not isinstance(row, dict):
        return Text("it is not an object", "不是 JSON 对象")
    missing = [column for column in columns if row.get(column) in (None, "")]
    if missing:
        listed = ", ".join(missing)
        return Text(f"{listed} missing or empty", f"{listed} 缺失或为空")
    return None


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    with file.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            if line.strip():
                yield number, line


def _check_template(context: PrepareContext) -> list[Finding]:
    folder = context.model_path
    if folder is None or not context.config.get("apply_chat_template"):
        return []
    if not (folder / "config.json").is_file() or has_chat_template(folder):
        return []
    return [rules.NO_TEMPLATE.at(context.at("model"), model=context.experiment.model)]
