"""The glossary of the shipped catalog: whole, in both languages, and usable as help."""

import re
from typing import Any, get_args

import pytest

from starforge.catalog.load import load_catalog
from starforge.catalog.models import Group
from starforge.catalog.types import accepts

CATALOG = load_catalog()
ENTRIES: dict[str, dict[str, Any]] = CATALOG.glossary
FIELDS = {
    "group", "description", "advice", "unit", "minimum", "maximum", "exclusive_minimum",
    "choices", "advanced",
}  # fmt: skip
TEXTS = [
    pytest.param(field, entry[field], id=f"{name}.{field}")
    for name, entry in ENTRIES.items()
    for field in ("description", "advice")
    if field in entry
]
HAN = re.compile(r"[\u4e00-\u9fff]")
UNFINISHED = re.compile(r"\b(pending|tbd|todo|xxx|lorem)\b|待写|待补|待定", re.IGNORECASE)
# In characters; a Chinese character says about as much as two Latin letters. Help that is
# longer than this is not read in a terminal.
SHORTEST = {"en": 12, "zh": 6}
LONGEST = {"description": {"en": 200, "zh": 100}, "advice": {"en": 360, "zh": 180}}


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_has_a_group_and_known_fields_only(name):
    entry = ENTRIES[name]
    assert set(entry) <= FIELDS
    assert entry["group"] in get_args(Group)
    assert "description" in entry
    assert re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name)


@pytest.mark.parametrize("name", ENTRIES)
def test_limits_are_numbers_in_order(name):
    entry = ENTRIES[name]
    low, high = entry.get("minimum"), entry.get("maximum")
    for limit in (low, high):
        assert limit is None or type(limit) in (int, float)
    assert low is None or high is None or low < high
    assert not entry.get("exclusive_minimum") or low is not None
    for flag in ("exclusive_minimum", "advanced"):
        assert entry.get(flag, False) in (True, False)


@pytest.mark.parametrize(("field", "text"), TEXTS)
def test_a_text_is_whole_in_both_languages(field, text):
    assert set(text) == {"en", "zh"}
    assert not HAN.search(text["en"])
    assert HAN.search(text["zh"])
    for lang, words in text.items():
        assert not UNFINISHED.search(words)
        assert SHORTEST[lang] <= len(words) <= LONGEST[field][lang]
        assert words == " ".join(words.split())


@pytest.mark.parametrize(("field", "text"), TEXTS)
def test_a_text_ends_as_a_sentence_in_its_own_punctuation(field, text):
    assert text["en"].endswith((".", "?"))
    assert text["zh"].endswith(("。", "？"))
    # Commas and stops of code and numbers ([0.9, 0.95]) stay; beside Han they are full-width.
    assert not re.search(r"[\u4e00-\u9fff][,;:.!?()]|[,;:.!?(][\u4e00-\u9fff]", text["zh"])


@pytest.mark.parametrize(("field", "text"), TEXTS)
def test_both_languages_name_the_same_figures(field, text):
    """A value that one language advises and the other doesn't is a slip of the pen."""
    figures = {lang: set(re.findall(r"\d+e-\d+|\d+\.\d+", words)) for lang, words in text.items()}
    assert figures["en"] == figures["zh"]


@pytest.mark.parametrize("name", CATALOG.names())
def test_only_numbers_have_a_unit_or_limits(name):
    for parameter in CATALOG.recipe(name).parameters:
        limited = parameter.minimum is not None or parameter.maximum is not None
        if parameter.unit or limited:
            samples = (2, 0.5, [2, 2], [0.5, 0.5])
            assert any(accepts(parameter.type, one)[0] for one in samples), parameter.name
