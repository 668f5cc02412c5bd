"""The flowchart of choosing a method as questions with answers, from the rules themselves."""

from __future__ import annotations

import msgspec

from starforge.catalog.load import Catalog
from starforge.catalog.models import DataKind, Recipe
from starforge.choose.kinds import KINDS
from starforge.choose.rules import BRANCHES, TRAITS, Advice, Branch, Trait
from starforge.choose.suggest import advised
from starforge.i18n import Text

DATA = "data"
DEFAULT = "default"
_WHAT_DATA = Text("What data do you have?", "手头是什么数据？")
_WHAT_CASE = Text("Does one of these apply?", "是否有以下情况？")
_NONE = Text("none of these", "都没有")


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """A method that an answer leads to, and why."""

    method: str
    title: Text
    reason: Text
    gpus: int


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One way to go on: to the question ``next``, or to ``methods``, best first."""

    id: str
    label: Text
    kind: DataKind
    about: Text | None = None
    next: str | None = None
    methods: list[Outcome] = []


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question of the flowchart. The first one is called :data:`DATA`."""

    id: str
    text: Text
    answers: list[Answer]


def questions(catalog: Catalog, gpus: int) -> list[Question]:
    """Return the flowchart for a machine with ``gpus``, with the methods that ``catalog`` has.

    An answer without any method is left out.
    """
    first: list[Answer] = []
    rest: list[Question] = []
    for branch in BRANCHES:
        cases = [one for one in _cases(branch, catalog, gpus) if one.methods]
        if not cases:
            continue
        about = KINDS[branch.kind].about
        further = branch.kind if len(cases) > 1 else None
        if further is not None:
            rest.append(Question(id=further, text=_WHAT_CASE, answers=cases))
        first.append(
            Answer(
                id=branch.kind, label=branch.label, kind=branch.kind, about=about, next=further,
                methods=[] if further else cases[0].methods,
            )
        )  # fmt: skip
    return [Question(id=DATA, text=_WHAT_DATA, answers=first), *rest]


def _cases(branch: Branch, catalog: Catalog, gpus: int) -> list[Answer]:
    """Return the cases of a branch: the usual one first, then each condition of its methods."""
    usual = _answer(branch, DEFAULT, _NONE, _usual(branch, catalog, gpus))
    return [usual, *_special(branch, catalog, gpus)]


Advised = list[tuple[Advice, Recipe]]


def _usual(branch: Branch, catalog: Catalog, gpus: int) -> Advised:
    found = advised(branch.kind, frozenset(), gpus, catalog)
    return [(one, recipe) for one, recipe in found if not _is_special(branch, one)]


def _is_special(branch: Branch, one: Advice) -> bool:
    """Say whether a method is only for a case of its own; the first may name its condition."""
    return one.when is not None and one is not branch.advice[0]


def _special(branch: Branch, catalog: Catalog, gpus: int) -> list[Answer]:
    answers = []
    for trait in TRAITS:
        if not any(trait in (one.lifted_by, one.only_with) for one in branch.advice):
            continue
        lifted = [
            (one, recipe)
            for one, recipe in advised(branch.kind, frozenset({trait}), gpus, catalog)
            if trait in (one.lifted_by, one.only_with)
        ]
        answers.append(_answer(branch, trait, TRAITS[trait], lifted))
    for number, when in enumerate(_conditions(branch), start=1):
        only = [
            (one, recipe)
            for one, recipe in advised(branch.kind, frozenset(), gpus, catalog)
            if one.when == when
        ]
        answers.append(_answer(branch, f"case-{number}", when, only))
    return answers


def _conditions(branch: Branch) -> list[Text]:
    """Return conditions in words alone, which nothing of the data or the machine shows."""
    words = [
        one.when
        for one in branch.advice
        if one.when is not None and _is_special(branch, one) and _trait(one) is None
    ]
    return list({when.en: when for when in words}.values())


def _trait(one: Advice) -> Trait | None:
    return one.only_with or one.lifted_by


def _answer(branch: Branch, name: str, label: Text, found: Advised) -> Answer:
    return Answer(
        id=name,
        label=label,
        kind=branch.kind,
        methods=[
            Outcome(
                method=recipe.name, title=recipe.title, reason=one.reason,
                gpus=recipe.minimum.gpus,
            )
            for one, recipe in found
        ],
    )  # fmt: skip
