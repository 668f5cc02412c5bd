"""Turning messages into text with a model's chat template, as transformers does.

Templates are Jinja, run in Jinja's sandbox: they come with models from anywhere.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from starforge.checks.files import read_json

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.parser import Parser


class TemplateError(Exception):
    """A template refuses these messages, or is not a template."""


class ChatTemplate:
    """A compiled template with the special tokens and options it is given."""

    def __init__(self, source: str, tokens: dict[str, str], options: dict[str, Any]) -> None:
        from jinja2 import TemplateError as JinjaError

        try:
            self._template = _compile(source)
        except JinjaError as error:
            raise TemplateError(str(error)) from error
        self._given = {**tokens, **options}

    def render(
        self, messages: list[dict[str, Any]], *, answer_next: bool = False, tools: Any = None
    ) -> str:
        """Return the text of a conversation; ``answer_next`` begins the assistant's turn."""
        try:
            return self._template.render(
                messages=messages, tools=tools or None, documents=None,
                add_generation_prompt=answer_next, **self._given,
            )  # fmt: skip
        except Exception as error:  # a template can raise anything that Python can
            raise TemplateError(f"{error}" or type(error).__name__) from error


def _compile(source: str) -> Template:
    from jinja2 import nodes
    from jinja2.ext import Extension, loopcontrols
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Generation(Extension):
        """``{% generation %}`` marks what the assistant says; the text stays the same."""

        tags = {"generation"}  # noqa: RUF012

        def parse(self, parser: Parser) -> nodes.Node:
            line = next(parser.stream).lineno
            body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
            return nodes.Scope(body).set_lineno(line)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols]
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _now
    return environment.from_string(source)


def _to_json(value: Any, indent: int | None = None, **options: Any) -> str:
    kept = {k: v for k, v in options.items() if k in ("separators", "sort_keys")}
    return json.dumps(value, ensure_ascii=False, indent=indent, **kept)


def _refuse(message: str) -> None:
    raise TemplateError(message)


def _now(form: str) -> str:
    return datetime.datetime.now().strftime(form)


def template_source(folder: Path) -> str | None:
    """Return the text of a model folder's own chat template, where it has one."""
    file = folder / "chat_template.jinja"
    if file.is_file():
        return file.read_text("utf-8", "replace")
    for name in ("chat_template.json", "tokenizer_config.json"):
        config = read_json(folder / name)
        found = config.get("chat_template") if isinstance(config, dict) else None
        if isinstance(found, list):  # several, by name
            named = {one.get("name"): one.get("template") for one in found if isinstance(one, dict)}
            found = named.get("default")
        if isinstance(found, str) and found:
            return found
    return None


def special_tokens(folder: Path) -> dict[str, str]:
    """Return ``bos_token``, ``eos_token`` and the like of a tokenizer, as texts."""
    tokens: dict[str, str] = {}
    for name in ("special_tokens_map.json", "tokenizer_config.json"):
        config = read_json(folder / name)
        for key, value in config.items() if isinstance(config, dict) else ():
            text = value.get("content") if isinstance(value, dict) else value
            if key.endswith("_token") and isinstance(text, str):
                tokens[key] = text
    return tokens


__all__ = ["ChatTemplate", "TemplateError", "special_tokens", "template_source"]
