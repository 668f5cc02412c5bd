"""Links in the docs and READMEs lead somewhere: to a file that is there and a heading in it."""

import functools
import re
import unicodedata
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[[^\]\n]*\]\(<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\)|(?:href|src)=\"([^\"]+)\"")


def links_of(page):
    text = _CODE.sub("", page.read_text("utf-8"))
    return [first or second for first, second in _LINK.findall(text)]


def slug(heading):
    """The anchor that the site makes of a heading."""
    text = unicodedata.normalize("NFKC", heading)
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower())


@functools.cache
def anchors_of(page):
    text = re.sub(r"^(```|~~~).*?^\1", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    found = set(re.findall(r"(?:id|name)=\"([^\"]+)\"", text))
    for heading in re.findall(r"^#+ (.+?)\s*$", text, re.MULTILINE):
        own = re.search(r"\{ *#([\w-]+) *\}$", heading)
        plain = re.sub(r"`|\*\*|\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        found |= {own[1]} if own else {slug(plain)}
    return found


def test_there_are_pages():
    assert len(PAGES) > 60
    assert sum(len(links_of(page)) for page in PAGES) > 500


def test_targets_of_make_exist():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    known = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = {
        (str(page.relative_to(ROOT)), target)
        for page in PAGES
        for target in re.findall(r"(?:^\s*|`)make ([a-z-]+)", page.read_text("utf-8"), re.MULTILINE)
    }
    assert len(named) > 10
    assert not [one for one in sorted(named) if one[1] not in known]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    wrong = []
    for link in links_of(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (
            anchor and target.suffix == ".md" and anchor not in anchors_of(target)
        ):
            wrong.append(link)
    assert not wrong
