"""The glossary of the shipped catalog: whole, in both languages, and usable as help.

Each test gathers every offender, so that one run shows all that is wrong.
"""

import re
from typing import Any, get_args

import pytest

from starforge.catalog.load import load_catalog
from starforge.catalog.models import Group
from starforge.catalog.types import accepts

FIELDS = {
    "group", "description", "advice", "unit", "minimum", "maximum", "exclusive_minimum",
    "choices", "advanced",
}  # fmt: skip
HAN = re.compile(r"[\u4e00-\u9fff]")
UNFINISHED = re.compile(r"\b(pending|tbd|todo|xxx|lorem)\b|待写|待补|待定", re.IGNORECASE)
# A comma or stop beside a Han character must be full-width; in code and numbers it stays.
HALF_WIDTH = re.compile(r"[\u4e00-\u9fff][,;:.!?(]|[,;:!?)][\u4e00-\u9fff]")
FIGURE = re.compile(r"\d+e-\d+|\d+\.\d+")
# In characters; a Chinese one says about as much as two Latin ones. Help that is longer than
# this is not read in a terminal.
SHORTEST = {"en": 12, "zh": 6}
LONGEST = {"description": {"en": 200, "zh": 100}, "advice": {"en": 360, "zh": 180}}

Entries = dict[str, dict[str, Any]]
Texts = list[tuple[str, str, dict[str, str]]]


@pytest.fixture(scope="module")
def entries() -> Entries:
    return load_catalog().glossary


@pytest.fixture(scope="module")
def texts(entries: Entries) -> Texts:
    """``(name, field, text)`` of every description and advice."""
    fields = ("description", "advice")
    return [(n, field, e[field]) for n, e in entries.items() for field in fields if field in e]


def test_the_glossary_holds_the_parameters_people_tune(entries):
    assert len(entries) > 200
    assert {"learning_rate", "group_size", "kl_coef", "beta", "tensor_parallel"} <= set(entries)


def test_an_entry_has_a_group_and_known_fields_only(entries):
    groups = get_args(Group)
    assert not [n for n, e in entries.items() if set(e) - FIELDS or "description" not in e]
    assert not [n for n, e in entries.items() if e.get("group") not in groups]
    assert not [n for n in entries if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", n)]


def test_limits_are_numbers_in_order(entries):
    wrong = []
    for name, entry in entries.items():
        limits = [entry[key] for key in ("minimum", "maximum") if key in entry]
        numbers = all(type(limit) in (int, float) for limit in limits)
        lost = entry.get("exclusive_minimum") and "minimum" not in entry
        if not numbers or limits != sorted(limits) or lost:
            wrong.append(name)
    assert not wrong


def test_every_text_stands_in_both_languages(texts):
    assert not [(n, f) for n, f, text in texts if set(text) != {"en", "zh"}]
    assert not [(n, f) for n, f, text in texts if HAN.search(text["en"])]
    assert not [(n, f) for n, f, text in texts if not HAN.search(text["zh"])]


def test_every_text_is_written_and_of_a_length_to_be_read(texts):
    wrong = [
        (name, field, lang, len(words))
        for name, field, text in texts
        for lang, words in text.items()
        if UNFINISHED.search(words)
        or not SHORTEST[lang] <= len(words) <= LONGEST[field][lang]
        or words != " ".join(words.split())
    ]
    assert not wrong


def test_every_text_ends_as_a_sentence_in_its_own_punctuation(texts):
    assert not [(n, f) for n, f, text in texts if not text["en"].endswith((".", "?"))]
    assert not [(n, f) for n, f, text in texts if not text["zh"].endswith(("。", "？"))]
    assert not [(n, f) for n, f, text in texts if HALF_WIDTH.search(text["zh"])]


def test_both_languages_name_the_same_figures(texts):
    """A value that one language advises and the other does not is a slip of the pen."""
    assert not [
        (name, field)
        for name, field, text in texts
        if set(FIGURE.findall(text["en"])) != set(FIGURE.findall(text["zh"]))
    ]


@pytest.mark.parametrize("name", load_catalog().names())
def test_only_numbers_have_a_unit_or_limits(name):
    numbers = (2, 0.5, [2, 2], [0.5, 0.5])
    assert not [
        parameter.name
        for parameter in load_catalog().recipe(name).parameters
        if (parameter.unit or parameter.minimum is not None or parameter.maximum is not None)
        and not any(accepts(parameter.type, number)[0] for number in numbers)
    ]
