"""Tell from some rows what kind of data they are, and say why. Pure functions."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from starforge.catalog.models import DataKind
from starforge.choose.columns import (
    NAMES,
    PASS_RATES,
    PROCESS_REWARDS,
    Row,
    all_columns,
    find,
    rename,
)
from starforge.choose.kinds import KINDS
from starforge.choose.values import has_final, is_checkable, is_good, is_verdict
from starforge.errors import StarForgeError
from starforge.i18n import Text

Form = Literal["pair", "conversations", "text", "pairs", "labels", "tasks", "prompts"]
Trait = Literal["process_rewards", "hard", "solutions"]

MOST = 0.9  # share of rows that decides
HARD = 0.3  # mean pass rate below which tasks count as hard
_GOLD_ALWAYS = frozenset(NAMES["answer"]) - {"target"}


class Detected(msgspec.Struct, frozen=True, kw_only=True):
    """What rows are.

    ``mapping`` renames columns (old to new) to what methods read; ``rows`` are renamed
    already; ``notes`` say what stands in the way of using them as they are. ``shape`` are
    the columns that methods of this kind read.
    """

    kind: DataKind
    form: Form
    why: list[Text]
    shape: list[str]
    rows: list[Row]
    mapping: dict[str, str] = {}
    notes: list[Text] = []
    traits: frozenset[Trait] = frozenset()


def detect(rows: list[Row]) -> Detected:
    """Return the kind of data that ``rows`` are.

    Raises :class:`StarForgeError` when they are none that a method takes.
    """
    for look in (_pairs, _labels, _conversations, _tasks, _answers, _prompts, _text):
        found = look(rows)
        if found is not None:
            return found
    columns = ", ".join(f"`{name}`" for name in all_columns(rows)[:12])
    raise StarForgeError(
        "choose/unknown-data",
        Text(f"the columns {columns} are of no kind of data that a method takes",
             f"列 {columns} 不属于任何方法所接受的数据类型"),
        Text("say which column is what, as in `--map prompt=COLUMN --map completion=COLUMN`; the "
             "data formats page shows every kind",
             "请说明各列的含义，例如 `--map prompt=列名 --map completion=列名`；"
             "“数据格式”页列出了每一类"),
    )  # fmt: skip


def as_seen(found: Detected, count: int = 3) -> list[Row]:
    """Return the first rows with the columns that a method reads, those first.

    A reward function may ask for any column, so verifiable tasks keep all of theirs.
    """
    free = found.kind in ("verifiable", "prompts")
    shown = []
    for row in found.rows[:count]:
        rest = [name for name in row if name not in found.shape] if free else []
        shown.append({name: row[name] for name in [*found.shape, *rest] if name in row})
    return shown


def _share(rows: list[Row], column: str | None, test: Any = None) -> float:
    """Return the share of rows that have a value in ``column`` (that passes ``test``)."""
    if column is None:
        return 0.0
    values = [value for row in rows if (value := row.get(column)) not in (None, "", [])]
    return sum(1 for value in values if test is None or test(value)) / len(rows)


def _has(rows: list[Row], wanted: str) -> str | None:
    """Return the column for a part when most rows have it."""
    column = find(all_columns(rows), wanted)
    return column if _share(rows, column) >= MOST else None


def _made(
    kind: DataKind,
    form: Form,
    why: list[Text],
    rows: list[Row],
    parts: dict[str, str | None],
    **more: Any,
) -> Detected:
    """Put a result together; ``parts`` maps what a method reads to the column that has it."""
    columns = set(all_columns(rows))
    # A name that another column has already would be lost by renaming onto it.
    named = {old: new if new not in columns - {old} else old for new, old in parts.items() if old}
    mapping = {old: new for old, new in named.items() if old != new}
    return Detected(
        kind=kind, form=form, why=why, shape=list(named.values()), rows=rename(rows, mapping),
        mapping=mapping, **more,
    )  # fmt: skip


def _both(rows: list[Row], en: str, zh: str) -> Text:
    """Add on how many rows a reason rests."""
    count = len(rows)
    return Text(f"{en} ({count} rows looked at)", f"{zh}（查看了 {count} 行）")


def _pairs(rows: list[Row]) -> Detected | None:
    chosen, rejected = _has(rows, "chosen"), _has(rows, "rejected")
    if chosen is None or rejected is None:
        return None
    prompt = _has(rows, "prompt")
    why = [_both(rows, f"every row has a better answer (`{chosen}`) and a worse one (`{rejected}`)",
                 f"每行都有较好的回答（`{chosen}`）和较差的回答（`{rejected}`）")]  # fmt: skip
    parts = {"prompt": prompt, "chosen": chosen, "rejected": rejected}
    return _made("preference", "pairs", why, rows, parts)


def _labels(rows: list[Row]) -> Detected | None:
    label = _has_label(rows)
    rest = [{k: v for k, v in row.items() if k != label} for row in rows]
    prompt, completion = _has(rest, "prompt"), _has(rest, "completion")
    if label is None or prompt is None or completion is None or prompt == completion:
        return None
    good = sum(is_good(row.get(label)) for row in rows)
    bad = len(rows) - good
    why = [_both(rows, f"one answer a row with a verdict in `{label}`: {good} good, {bad} bad",
                 f"每行一个回答，`{label}` 给出评判：{good} 个好，{bad} 个差")]  # fmt: skip
    notes = []
    if not all(isinstance(row.get(label), bool) for row in rows):
        notes.append(Text(f"`{label}` must hold true and false; write those instead",
                          f"`{label}` 的值须为 true 或 false，请先改写"))  # fmt: skip
    if good in (0, len(rows)):
        notes.append(Text("only one of the two verdicts occurs; both are needed",
                          "只出现了一种评判，两种都需要"))  # fmt: skip
    parts: dict[str, str | None] = {"prompt": prompt, "completion": completion, "label": label}
    return _made("binary", "labels", why, rows, parts, notes=notes)


def _has_label(rows: list[Row]) -> str | None:
    columns = all_columns(rows)
    names = [name for name in columns if name.lower() in ("label", *NAMES["label"])]
    return next((name for name in names if _share(rows, name, is_verdict) >= MOST
                 or all(is_verdict(row.get(name)) for row in rows)), None)  # fmt: skip


def _conversations(rows: list[Row]) -> Detected | None:
    column = _has(rows, "messages")
    if column is None or _share(rows, column, lambda value: isinstance(value, list)) < MOST:
        return None
    answered = sum(_speaker(row) in ("assistant", "gpt", "bot", "model") for row in
                   (row.get(column) for row in rows)) / len(rows)  # fmt: skip
    if answered < 0.5:
        return _open_conversations(rows, column)
    why = [_both(rows, f"`{column}` holds conversations that end with an answer",
                 f"`{column}` 是以回答结尾的对话")]  # fmt: skip
    return _made("instruction", "conversations", why, rows, {"messages": column},
                 notes=_message_notes(rows, column))  # fmt: skip


def _open_conversations(rows: list[Row], column: str) -> Detected:
    """Return what conversations without the last answer are: tasks or prompts."""
    gold = next((name for part in ("answer", "tests") if (name := _has(rows, part))), None)
    notes = _message_notes(rows, column)
    if gold is not None:
        why = [_both(rows, f"`{column}` ends with the user's turn, and `{gold}` holds what the "
                     "answer is checked against",
                     f"`{column}` 以用户发言结尾，`{gold}` 是用来核对答案的依据")]  # fmt: skip
        return _made("verifiable", "tasks", why, rows, {"prompt": column, _gold_name(gold): gold},
                     notes=notes, traits=_traits(rows))  # fmt: skip
    why = [_both(rows, f"`{column}` ends with the user's turn, and there is no answer",
                 f"`{column}` 以用户发言结尾，没有回答")]  # fmt: skip
    return _made("prompts", "prompts", why, rows, {"prompt": column}, notes=notes)


def _speaker(messages: Any) -> str:
    last = messages[-1] if isinstance(messages, list) and messages else None
    if not isinstance(last, dict):
        return ""
    return str(last.get("role", last.get("from", ""))).lower()


def _message_notes(rows: list[Row], column: str) -> list[Text]:
    """Say when messages are written with `from` and `value`, which renaming can't mend."""
    first = next((row[column][0] for row in rows if row.get(column)), None)
    if not isinstance(first, dict) or "role" in first or "from" not in first:
        return []
    way = (
        f'jq -c \'.{column} |= map({{role: ({{human: "user", gpt: "assistant"}}[.from] // '
        ".from), content: .value})' IN.jsonl > OUT.jsonl"
    )
    return [
        Text(f"its messages have `from` and `value`, methods read `role` and `content`: `{way}`",
             f"消息使用 `from` 和 `value`，而方法读取 `role` 和 `content`：`{way}`")
    ]  # fmt: skip


def _tasks(rows: list[Row]) -> Detected | None:
    prompt = _has(rows, "prompt")
    if prompt is None:
        return None
    rest = [{k: v for k, v in row.items() if k != prompt} for row in rows]
    gold, reason = _gold(rest)
    if gold is None or reason is None:
        return None
    parts: dict[str, str | None] = {"prompt": prompt, _gold_name(gold): gold}
    notes = []
    if _share(rest, gold, has_final) >= 0.5:
        notes.append(
            Text(f"`{gold}` ends in the final answer after a worked solution; keep only the final "
                 "answer there, or take it out in your reward",
                 f"`{gold}` 是“解答过程＋最终答案”的形式；请只保留最终答案，或在奖励函数中提取")
        )  # fmt: skip
    why = [_both(rows, f"`{prompt}` is a task, and {reason.en}", f"`{prompt}` 是任务，{reason.zh}")]
    return _made("verifiable", "tasks", why, rows, parts, notes=notes, traits=_traits(rows))


def _gold(rows: list[Row]) -> tuple[str | None, Text | None]:
    """Return the column that answers are checked against, and how that shows."""
    columns = all_columns(rows)
    tests = _has(rows, "tests")
    if tests is not None:
        return tests, Text(f"`{tests}` holds tests for the answer", f"`{tests}` 是检验答案的测试")
    for name in columns:
        if name.lower() in _GOLD_ALWAYS and _share(rows, name) >= MOST:
            return name, Text(f"`{name}` holds the right answer", f"`{name}` 是正确答案")
    for name in columns:
        likely = name.lower() in ("answer", "target", "label", "solution")
        if likely and _share(rows, name, is_checkable) >= 0.8:
            return name, Text(f"a program can check `{name}`", f"`{name}` 可由程序检验")
    return None, None


def _gold_name(column: str) -> str:
    """Return the name under which the sample reward expects the right answer."""
    plain = column.lower()
    kept = ("solution", *NAMES["solution"])  # a worked solution is not the answer itself
    if plain in kept:
        return plain
    return "tests" if plain in ("tests", *NAMES["tests"]) else "answer"


def _traits(rows: list[Row]) -> frozenset[Trait]:
    """Return what makes one method fit tasks better than another."""
    columns = {name.lower(): name for name in all_columns(rows)}
    traits: set[Trait] = set()
    if any(_share(rows, columns.get(name)) >= MOST for name in PROCESS_REWARDS):
        traits.add("process_rewards")
    rate = next((columns[name] for name in PASS_RATES if name in columns), None)
    if rate is not None:
        rates = [row[rate] for row in rows if isinstance(row.get(rate), int | float)]
        if rates and sum(rates) / len(rates) < HARD:
            traits.add("hard")
    solution = find(columns.values(), "solution")
    if _share(rows, solution, lambda value: isinstance(value, str)) >= MOST:
        traits.add("solutions")
    return frozenset(traits)


def _answers(rows: list[Row]) -> Detected | None:
    prompt = _has(rows, "prompt")
    rest = [{k: v for k, v in row.items() if k != prompt} for row in rows]
    completion = _has(rest, "completion")
    if prompt is None or completion is None:
        return None
    why = [_both(rows, f"every row has a prompt (`{prompt}`) and an answer to it (`{completion}`)",
                 f"每行都有提示（`{prompt}`）和对应的回答（`{completion}`）")]  # fmt: skip
    notes = []
    extra = next((name for name in ("input", "context") if name != prompt
                  and _share(rest, name) > 0), None)  # fmt: skip
    if extra is not None:
        notes.append(
            Text(f"`{extra}` would be left out: write it into `{prompt}` where it is not empty",
                 f"`{extra}` 不会被读取：非空时请并入 `{prompt}`")
        )  # fmt: skip
    parts: dict[str, str | None] = {"prompt": prompt, "completion": completion}
    return _made("instruction", "pair", why, rows, parts, notes=notes)


def _prompts(rows: list[Row]) -> Detected | None:
    prompt = _has(rows, "prompt")
    if prompt is None:
        return None
    solution = _has([{k: v for k, v in row.items() if k != prompt} for row in rows], "solution")
    parts = {"prompt": prompt, "solution": solution}
    if solution is not None:
        why = [_both(rows, f"`{prompt}` with a worked solution in `{solution}`",
                     f"`{prompt}` 配有解答过程 `{solution}`")]  # fmt: skip
        return _made("prompts", "prompts", why, rows, parts, traits=frozenset({"solutions"}))
    why = [_both(rows, f"there are prompts (`{prompt}`) and no answers",
                 f"只有提示（`{prompt}`），没有回答")]  # fmt: skip
    return _made("prompts", "prompts", why, rows, parts)


def _text(rows: list[Row]) -> Detected | None:
    column = _has(rows, "text")
    if column is None or _share(rows, column, lambda value: isinstance(value, str)) < MOST:
        return None
    why = [_both(rows, f"`{column}` is plain text, for going on with pre-training",
                 f"`{column}` 是纯文本，可用于继续预训练")]  # fmt: skip
    return _made("instruction", "text", why, rows, {"text": column})


def kind_title(found: Detected) -> Text:
    """Name the kind as people do: conversations and plain text are instruction data too."""
    own = {
        "conversations": Text("conversations", "对话"),
        "text": Text("plain text", "纯文本"),
    }
    return own.get(found.form) or KINDS[found.kind].title
