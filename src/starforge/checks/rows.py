"""What a single row must look like: columns, types, messages. Pure functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from starforge.checks import rules_data as rules
from starforge.checks.turns import turn_problems
from starforge.findings import Rule, nearest
from starforge.i18n import Text

Problem = tuple[Rule, dict[str, Any]]
Form = tuple[str, ...]  # the columns of a shape and how each is written: ("prompt:text", ...)

ROLES = ("system", "user", "assistant", "tool", "developer")
OTHER_ROLES = {"human": "user", "gpt": "assistant", "bot": "assistant", "model": "assistant",
               "ai": "assistant", "function": "tool"}  # fmt: skip
OTHER_COLUMNS = {
    "question": "prompt", "instruction": "prompt", "input": "prompt", "query": "prompt",
    "answer": "completion", "output": "completion", "response": "completion",
    "conversations": "messages", "conversation": "messages", "dialog": "messages",
    "content": "text", "document": "text",
}  # fmt: skip
TEXTS = frozenset({"prompt", "completion", "chosen", "rejected"})

_JSON_TYPES: dict[type, Text] = {
    dict: Text("an object", "对象"),
    list: Text("a list", "列表"),
    str: Text("text", "文本"),
    bool: Text("true or false", "布尔值"),
    int: Text("a number", "数字"),
    float: Text("a number", "数字"),
    type(None): Text("null", "null"),
}


def type_text(value: Any) -> Text:
    """Name the JSON type of a value."""
    return _JSON_TYPES.get(type(value), Text(type(value).__name__, type(value).__name__))


def shape_of(row: dict[str, Any], shapes: list[list[str]]) -> list[str] | None:
    """Return the first of the method's shapes whose columns the row has."""
    return next((shape for shape in shapes if all(column in row for column in shape)), None)


def form_of(row: dict[str, Any], shape: list[str]) -> Form:
    """Return how a row is written, for comparing rows with each other."""
    return tuple(f"{c}:{'messages' if isinstance(row[c], list) else 'text'}" for c in shape)


def form_columns(form: Form) -> set[str]:
    """Return the columns of a form."""
    return {part.partition(":")[0] for part in form}


def form_text(form: Form) -> Text:
    """Name a form: ``prompt + completion (text)``."""
    columns = " + ".join(part.partition(":")[0] for part in form)
    kinds = {part.partition(":")[2] for part in form if not part.startswith("text:")}
    if kinds == {"messages"} and columns != "messages":
        return Text(f"{columns} as messages", f"消息形式的 {columns}")
    if kinds == {"text"}:
        return Text(f"{columns} as text", f"文本形式的 {columns}")
    return Text(columns, f" {columns}")


def needed_text(shapes: list[list[str]]) -> Text:
    """Name the shapes a method takes: ``messages, or prompt and completion, or text``."""
    english = ", or ".join(" and ".join(f"`{c}`" for c in shape) for shape in shapes)
    chinese = "，或 ".join("+".join(f"`{c}`" for c in shape) for shape in shapes)
    return Text(english, chinese)


def columns_problem(row: dict[str, Any], shapes: list[list[str]], method: str) -> Problem:
    """Say which columns a row lacks, and which of its own are probably meant."""
    found = ", ".join(f"`{name}`" for name in row) or "none"
    arguments: dict[str, Any] = {"found": found, "needed": needed_text(shapes), "method": method}
    renames = _renames(row, shapes)
    if renames:
        pairs = ", ".join(f"`{old}` → `{new}`" for old, new in renames)
        arguments["hint"] = Text(f"rename {pairs}", f"请重命名：{pairs}")
    return rules.COLUMNS, arguments


def _renames(row: dict[str, Any], shapes: list[list[str]]) -> list[tuple[str, str]]:
    best: list[tuple[str, str]] = []
    for shape in shapes:
        missing = [column for column in shape if column not in row]
        pairs = [(old, new) for new in missing if (old := _meant(new, row)) is not None]
        if len(pairs) == len(missing) and (not best or len(shape) > len(best)):
            best = pairs
    return best


def _meant(column: str, row: dict[str, Any]) -> str | None:
    alias = next((name for name in row if OTHER_COLUMNS.get(name.lower()) == column), None)
    return alias or next(iter(nearest(column, row, 1)), None)


def problems_of(row: dict[str, Any], shape: list[str]) -> Iterator[Problem]:
    """Yield everything wrong with the values of a row that has the columns of ``shape``."""
    kinds = {type(row[c]) for c in shape if c in TEXTS}
    continued = "prompt" in shape
    for column in shape:
        value = row[column]
        if column == "messages":
            yield from _messages(column, value)
        elif column in TEXTS:
            yield from _text_or_messages(column, value, len(kinds) > 1, continued)
        elif column == "text":
            yield from _text(column, value)
        elif column == "label" and not isinstance(value, bool):
            yield _wrong_type(column, value, Text("true or false", "布尔值"))
    if "chosen" in shape and row["chosen"] == row["rejected"]:
        yield rules.SAME_ANSWERS, {}


def _wrong_type(column: str, value: Any, wanted: Text) -> Problem:
    return rules.TYPE, {"column": column, "found": type_text(value), "wanted": wanted}


def _text(column: str, value: Any) -> Iterator[Problem]:
    if not isinstance(value, str):
        yield _wrong_type(column, value, Text("text", "文本"))
    elif not value.strip():
        yield rules.EMPTY_TEXT, {"column": column}


def _text_or_messages(column: str, value: Any, mixed: bool, continued: bool) -> Iterator[Problem]:
    if isinstance(value, list) and not mixed:
        yield from _messages(column, value, continued and column != "prompt")
    elif isinstance(value, str):
        yield from _text(column, value)
    else:
        wanted = Text("text, like the other columns", "文本，与其他列一致")
        plain = Text("text or a list of messages", "文本或消息列表")
        yield _wrong_type(column, value, wanted if isinstance(value, list) else plain)


def _messages(column: str, value: Any, continued: bool = False) -> Iterator[Problem]:
    if not isinstance(value, list):
        yield _wrong_type(column, value, Text("a list of messages", "消息列表"))
        return
    if not value:
        empty, wanted = Text("an empty list", "空列表"), Text("a list of messages", "消息列表")
        yield rules.TYPE, {"column": column, "found": empty, "wanted": wanted}
        return
    sound = True
    for index, message in enumerate(value, start=1):
        for problem in _message(column, index, message):
            sound = sound and problem[0] is rules.EMPTY_TEXT
            yield problem
    if sound:
        yield from turn_problems(column, tuple(turn["role"] for turn in value), continued)


def _message(column: str, index: int, message: Any) -> Iterator[Problem]:
    place = {"column": column, "index": index}
    if not isinstance(message, dict):
        kind = type_text(message)
        yield rules.MESSAGE, place | {"problem": Text(f"it is {kind.en}", f"是{kind.zh}")}
        return
    missing = [key for key in ("role", "content") if key not in message]
    if "tool_calls" in message and missing == ["content"]:
        missing = []
    if missing:
        names = ", ".join(f"`{key}`" for key in missing)
        yield rules.MESSAGE, place | {"problem": Text(f"{names} is missing", f"缺少 {names}")}
        return
    if message["role"] not in ROLES:
        yield rules.ROLE, place | {"role": message["role"], "way": _role_way(message["role"])}
    yield from _content(place, message)


def _content(place: dict[str, Any], message: dict[str, Any]) -> Iterator[Problem]:
    content = message.get("content")
    if isinstance(content, str):
        if not content.strip() and not message.get("tool_calls"):
            column = f"{place['column']}[{place['index']}].content"
            yield rules.EMPTY_TEXT, {"column": column}
    elif not (content is None and message.get("tool_calls")):
        kind = type_text(content)
        problem = Text(f"`content` is {kind.en}, but must be text",
                       f"的 `content` 是{kind.zh}，应为文本")  # fmt: skip
        yield rules.MESSAGE, place | {"problem": problem}


def _role_way(role: Any) -> Text:
    name = str(role).lower()
    near = OTHER_ROLES.get(name) or next(iter(nearest(name, ROLES, 1)), None)
    known = ", ".join(ROLES)
    if near:
        return Text(f"write `{near}` (roles: {known})", f"请写 `{near}`（可用角色：{known}）")
    return Text(f"roles are {known}", f"可用角色：{known}")
