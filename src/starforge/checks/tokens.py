"""How long rows are in tokens of the model's own tokenizer, as the framework would see them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from starforge.checks.chat_template import (
    ChatTemplate,
    TemplateError,
    special_tokens,
    template_source,
)
from starforge.lab.context import PrepareContext

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Messages = list[dict[str, Any]]

# Frameworks whose drivers make a conversation of a prompt and an answer that are plain texts.
CONVERSING = ("verl", "nemo-rl")


class NoTemplateError(TemplateError):
    """A conversation, and a tokenizer without a chat template."""


class Measured(msgspec.Struct, frozen=True):
    """One row: all its tokens, those before the first answer, and whether its end is doubled.

    ``prompt`` is ``None`` for a row without an answer of its own (plain text).
    """

    total: int
    prompt: int | None
    doubled: bool = False


class Meter:
    """Renders rows and counts their tokens; raises :class:`TemplateError` for what it can't."""

    def __init__(
        self, tokenizer: Tokenizer, template: ChatTemplate | None, end: str | None, converse: bool
    ) -> None:
        self._tokenizer = tokenizer
        self._template = template
        self._converse = converse
        twice = rf"{re.escape(end)}\s*{re.escape(end)}" if end else None
        self._twice = re.compile(twice) if twice else None

    def measure(self, row: dict[str, Any]) -> Measured:
        """Measure a row; of a pair of answers the longer one counts."""
        sides = [self._side(row, column) for column in ("chosen", "rejected") if column in row]
        if sides:
            longest = max(sides, key=lambda side: side.total)
            return msgspec.structs.replace(longest, doubled=any(s.doubled for s in sides))
        if "messages" in row:
            return self._conversation([], row["messages"], row.get("tools"))
        if "text" in row and "prompt" not in row:
            return Measured(self._count(row["text"]), None, self._doubled(row["text"]))
        return self._side(row, "completion")

    def _side(self, row: dict[str, Any], column: str) -> Measured:
        prompt, answer = row.get("prompt"), row.get(column)
        plain = isinstance(prompt, str) or isinstance(answer, str)
        if plain and not self._converse:
            text = str(prompt or "") + str(answer or "")
            return Measured(self._count(text), self._count(str(prompt or "")), self._doubled(text))
        return self._conversation(
            _turns(prompt, "user"), _turns(answer, "assistant"), row.get("tools")
        )

    def _conversation(self, prompt: Messages, answer: Messages, tools: Any) -> Measured:
        if self._template is None:
            raise NoTemplateError
        turns = [*prompt, *answer]
        first = next(
            (i for i, turn in enumerate(answer) if turn["role"] == "assistant"), len(answer)
        )
        before = turns[: len(prompt) + first]
        asked = self._template.render(before, answer_next=True, tools=tools) if before else ""
        if len(before) == len(turns):
            return Measured(self._count(asked), self._count(asked))
        whole = self._template.render(turns, tools=tools)
        return Measured(self._count(whole), self._count(asked), self._doubled(whole))

    def _count(self, text: str) -> int:
        return len(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def _doubled(self, text: str) -> bool:
        return self._twice is not None and self._twice.search(text) is not None


def _turns(value: Any, role: str) -> Messages:
    if value is None:
        return []
    return [{"role": role, "content": value}] if isinstance(value, str) else list(value)


def meter_of(context: PrepareContext) -> Meter | None:
    """Return the meter of an experiment whose model folder, with its tokenizer, is here.

    ``None`` when there is none, when it can't be read, or when the experiment gives a chat
    template that only the framework can find.
    """
    folder = context.model_path
    if folder is None or not (folder / "tokenizer.json").is_file():
        return None
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception:  # the library raises plain exceptions; the model check names the file
        return None
    tokens = special_tokens(folder)
    source = _given_template(context)
    if source is None:
        source = template_source(folder)
    options = context.parameter("chat_template_options")
    try:
        template = (
            ChatTemplate(source, tokens, options if isinstance(options, dict) else {})
            if source
            else None
        )
    except TemplateError:
        return None
    converse = context.recipe.framework in CONVERSING or (
        context.recipe.framework == "openrlhf" and bool(context.parameter("apply_chat_template"))
    )
    return Meter(tokenizer, template, tokens.get("eos_token"), converse)


def _given_template(context: PrepareContext) -> str | None:
    """Return the chat template that the experiment gives in place of the model's."""
    text = context.parameter("chat_template_text")
    if isinstance(text, str) and text:
        return text
    given = context.parameter("chat_template")
    own = context.recipe.framework == "nemo-rl" and given == "default"  # the model's, as upstream
    if not isinstance(given, str) or not given or own:
        return None
    if "{%" in given or "{{" in given:
        return given
    file = context.experiment.folder / given
    try:
        return file.read_text("utf-8") if file.is_file() else ""
    except (OSError, UnicodeDecodeError):
        return ""
