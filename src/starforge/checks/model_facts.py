"""What model folders say of themselves, against the method and the pinned framework."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from starforge.catalog.architectures import architectures_of
from starforge.checks import rules_model as rules
from starforge.checks.chat_template import template_source
from starforge.checks.files import read_object
from starforge.checks.tokens import CONVERSING
from starforge.findings import Finding, nearest
from starforge.lab.assign import did_you_mean
from starforge.lab.context import PrepareContext
from starforge.plan import InputRef

ROLLING = ("verifiable", "prompts")  # kinds of data whose answers the model writes itself
SERVED = ("verl", "nemo-rl", "openrlhf")  # frameworks that sample with a serving engine
SCALED = ("linear", "dynamic", "yarn")  # ways of rope scaling that lengthen the context
TEMPLATES = {
    "verl": ("actor_rollout_ref.model.custom_chat_template", "model.custom_chat_template"),
    "nemo-rl": ("policy.tokenizer.chat_template",),
}


def check_model_facts(context: PrepareContext) -> Iterator[Finding]:
    """Yield the findings about architecture, context length, template and teacher."""
    if context.recipe.runtime == "none":
        return
    for key, ref in (("model", context.model), ("teacher", context.teacher)):
        yield from _architecture(context, key, folder_of(ref))
    student = folder_of(context.model)
    if student is not None:
        yield from _context_length(context, student)
        yield from _template(context, student)
    yield from _same_tokenizer(context, student, folder_of(context.teacher))


def folder_of(ref: InputRef | None) -> Path | None:
    """Return the folder of a model that lies on this machine and has a config."""
    if ref is None or ref.kind != "path":
        return None
    folder = Path(ref.location)
    return folder if (folder / "config.json").is_file() else None


def _architecture(context: PrepareContext, key: str, folder: Path | None) -> Iterator[Finding]:
    known = architectures_of(context.recipe)
    config = read_object(folder / "config.json") if folder is not None else {}
    # A model with `auto_map` brings its own code.
    if known is None or not config or config.get("auto_map"):
        return
    at, kind, names = context.at(key), config.get("model_type"), config.get("architectures")
    model = getattr(context.experiment, key)
    if kind is not None and kind not in known.types:
        near = did_you_mean(nearest(str(kind), known.types))
        yield rules.UNKNOWN_ARCHITECTURE.at(
            at, hint=near, model=model, kind=kind, version=known.transformers,
            method=context.recipe.name,
        )  # fmt: skip
        return
    name = str(names[0]) if isinstance(names, list) and names else None
    # A reward model is made of any model of the kind, of another reward model too.
    if name is None or name in known.language or context.recipe.algorithm == "rm":
        return
    yield rules.NO_LANGUAGE_MODEL.at(at, model=model, architecture=name, method=context.recipe.name)


def _context_length(context: PrepareContext, folder: Path) -> Iterator[Finding]:
    limit = context_length(read_object(folder / "config.json"))
    name, needed = _needed(context)
    if limit is None or needed <= limit:
        return
    served = context.recipe.data.kind in ROLLING and context.recipe.framework in SERVED
    rule = rules.CONTEXT_EXCEEDED if served else rules.BEYOND_CONTEXT
    at = context.config.at_parameter(name)
    yield rule.at(at, parameter=name, needed=needed, limit=limit, model=context.experiment.model)


def _needed(context: PrepareContext) -> tuple[str, int]:
    """Return the parameter that asks for most, and the tokens a sequence may have."""
    if context.recipe.data.kind not in ROLLING:
        return "max_tokens", _number(context.parameter("max_tokens"))
    whole = _number(context.parameter("max_model_tokens"))
    if whole:
        return "max_model_tokens", whole
    completion = _number(context.parameter("max_completion_tokens"))
    return "max_completion_tokens", completion + _number(context.parameter("max_prompt_tokens"))


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def context_length(config: dict[str, Any]) -> int | None:
    """Return how many tokens a model can look at, by its config.json; ``None`` if unsaid."""
    inner = config.get("text_config")
    text = inner if isinstance(inner, dict) else config
    names = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length")
    limit = next((n for n in (_number(text.get(name)) for name in names) if n), None)
    scaling = text.get("rope_parameters") or text.get("rope_scaling")
    if limit is None or not isinstance(scaling, dict):
        return limit
    factor = scaling.get("factor")
    if scaling.get("rope_type", scaling.get("type")) not in SCALED or not isinstance(
        factor, int | float
    ):
        return limit
    original = _number(scaling.get("original_max_position_embeddings")) or limit
    return max(limit, int(original * factor))


def _template(context: PrepareContext, folder: Path) -> Iterator[Finding]:
    """Frameworks that make conversations of all rows need a template for every kind of row."""
    recipe, config = context.recipe, context.config
    if recipe.framework not in CONVERSING or not context.data:
        return
    paths = TEMPLATES[recipe.framework]
    if any(config.is_set_by_user(path) for path in paths) or template_source(folder):
        return
    if (folder / "additional_chat_templates").is_dir():
        return
    path = next((p for p in paths if p in context.contract_config.keys), paths[0])
    model = context.experiment.model
    yield rules.TEMPLATE_NEEDED.at(context.at("model"), method=recipe.name, model=model, path=path)


def _same_tokenizer(
    context: PrepareContext, student: Path | None, teacher: Path | None
) -> Iterator[Finding]:
    if student is None or teacher is None:
        return
    files = [folder / "tokenizer.json" for folder in (student, teacher)]
    if not all(file.is_file() for file in files):
        return
    ours, theirs = map(vocabulary, files)
    if not ours or not theirs or ours == theirs:
        return
    differs = sum(1 for token, number in ours.items() if theirs.get(token) != number)
    yield rules.TEACHER_TOKENIZER.at(
        context.at("teacher"), student=len(ours), teacher=len(theirs),
        count=max(differs, abs(len(ours) - len(theirs))),
    )  # fmt: skip


def vocabulary(file: Path) -> dict[str, int]:
    """Return the tokens of a tokenizer.json and their numbers; empty when it can't be read."""
    content = read_object(file)
    model = content.get("model")
    words = model.get("vocab") if isinstance(model, dict) else None
    found: dict[str, int] = {}
    if isinstance(words, dict):
        found |= words
    elif isinstance(words, list):  # unigram: [token, score] by number
        found |= {str(one[0]): i for i, one in enumerate(words) if isinstance(one, list) and one}
    added = content.get("added_tokens")
    for one in added if isinstance(added, list) else ():
        if isinstance(one, dict) and isinstance(one.get("id"), int):
            found[str(one.get("content"))] = one["id"]
    return found
