"""The texts of experiments that are made from others: imported or ported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from starforge.catalog.models import Recipe
from starforge.i18n import Text
from starforge.lab.templates import comment, to_yaml
from starforge.lang import current_lang, t


class NoteLike(Protocol):
    """What a report says of one setting."""

    @property
    def kind(self) -> str:
        """Which part of the report it belongs to."""
        ...

    @property
    def what(self) -> str:
        """The setting."""
        ...

    @property
    def why(self) -> Text:
        """What became of it."""
        ...

    @property
    def line(self) -> int:
        """Where it stands in the script; 0 when nowhere."""
        ...


TITLES: dict[str, tuple[str, str]] = {
    "todo": ("To be done by hand", "需要手工完成"),
    "lost": ("Not carried over", "未能沿用"),
    "changed": ("Carried over under another name or value", "以其他名称或取值沿用"),
    "dropped": ("Not needed", "不再需要"),
}


def experiment_text(name: str, recipe: Recipe, head: dict[str, Any], params: dict[str, Any]) -> str:
    """Return experiment.yaml: inputs first, then parameters by name."""
    lines = comment(
        t(
            "{name}: {title}. What was not carried over stands in README.md.",
            "{name}：{title}。未能沿用的内容见 README.md。",
            name=name,
            title=recipe.title.pick(current_lang()),
        )
    )
    for key, value in head.items():
        if isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f"  {inner}: {to_yaml(item)}" for inner, item in value.items()]
        else:
            lines.append(f"{key}: {to_yaml(value)}")
    if params:
        lines += ["params:", *(f"  {key}: {to_yaml(value)}" for key, value in params.items())]
    return "\n".join(lines) + "\n"


def config_text(recipe: Recipe, config: dict[str, Any], sections: set[str]) -> str:
    """Return config.yaml with native keys; ``sections`` replace upstream's whole."""
    lines = comment(
        t("Keys of {pin} itself that have no parameter.", "{pin} 自己的、没有对应参数的键。",
          pin=recipe.pin)
    )  # fmt: skip
    lines += [f"{key}: {to_yaml(value)}" for key, value in config.items()]
    lines += [f"{section}._override_: true" for section in sorted(sections)]
    return "\n".join(lines) + "\n"


def readme_text(name: str, recipe: Recipe, description: str, notes: Sequence[NoteLike]) -> str:
    """Return README.md: where the experiment came from, and what did not come along."""
    lines = [f"# {name}", "", f"`{recipe.name}` ({recipe.pin}), {description}.", ""]
    for kind, title in TITLES.items():
        chosen = [note for note in notes if note.kind == kind]
        if not chosen:
            continue
        lines += [f"## {t(*title)}", ""]
        for note in chosen:
            place = t(" (line {n})", "（第 {n} 行）", n=note.line) if note.line else ""
            lines.append(f"- `{_inline(note.what)}`{place}: {note.why.pick(current_lang())}")
        lines.append("")
    lines += ["```", f"sf validate {name}", f"sf plan {name} --brief", "```", ""]
    return "\n".join(lines)


def _inline(text: str) -> str:
    return " ".join(text.replace("`", "'").split())
