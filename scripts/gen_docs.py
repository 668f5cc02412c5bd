"""Generate the reference pages of the documentation from the code, in both languages.

python scripts/gen_docs.py            write the pages of docs/{en,zh} listed in pages()
python scripts/gen_docs.py --check    write nothing; exit with 1 when a page is stale
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import docs_choose
import docs_methods

from starforge.catalog.load import load_catalog
from starforge.cli import words
from starforge.cli.base import Argument, Option, _Texts
from starforge.cli.explain import severity
from starforge.cli.root import root
from starforge.cli.table import SECTIONS
from starforge.findings import Rule
from starforge.findings.declared import every_rule, plain_fields
from starforge.lang import Lang, current_lang, set_lang, t

DOCS = Path(__file__).parents[1] / "docs"
INTROS = Path(__file__).parent / "docs_intro"
LANGS: tuple[Lang, ...] = ("en", "zh")


def intro(page: str) -> str:
    """Return the hand-written beginning of a page."""
    return (INTROS / f"{page}.{current_lang()}.md").read_text(encoding="utf-8")


def cli_page() -> str:
    """Return the CLI reference in the language of this process."""
    words.bind()
    parts = [intro("cli")]
    context = click.Context(root, info_name="sf")
    for title, commands in SECTIONS:
        parts.append(f"## {t(*title)}\n")
        for name in commands:
            command = root.get_command(context, name)
            assert command is not None
            parts += _command(command, click.Context(command, info_name=name, parent=context))
    return "\n".join(parts)


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    assert isinstance(command, _Texts), context.command_path
    path = context.command_path
    yield f"### {path}\n"
    yield t(*command.text) + "\n"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            assert child is not None
            yield from _command(child, click.Context(child, info_name=name, parent=context))
        return
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    yield f"```\n{usage}\n```\n"
    yield from _parameters(command, context)
    examples = "\n".join(f"# {t(*what)}\n{line}" for line, what in command.examples)
    yield f"```sh\n{examples}\n```\n"


def _parameters(command: click.Command, context: click.Context) -> Iterator[str]:
    rows = []
    for parameter in command.params:
        assert isinstance(parameter, Argument | Option), f"{context.command_path}: {parameter.name}"
        record = parameter.get_help_record(context)
        if record is not None:
            left, right = (text.replace("|", "\\|") for text in record)
            rows.append(f"| `{left}` | {right} |")
    if rows:
        yield f"| {t('argument or option', '参数或选项')} | |\n| --- | --- |"
        yield "\n".join(rows) + "\n"


def findings_page() -> str:
    """Return the findings reference in the language of this process."""
    parts = [intro("findings")]
    area = ""
    for rule in every_rule().values():
        if rule.code.split("/")[0] != area:
            area = rule.code.split("/")[0]
            parts.append(f"## {area}\n")
        parts += _rule(rule)
    return "\n".join(parts)


def _rule(rule: Rule) -> Iterator[str]:
    yield f"### {rule.code}\n"
    yield f"**{rule.title.pick()}** ({severity(rule)})\n"
    yield f"> {plain_fields(rule.message.pick())}\n"
    if rule.hint is not None:
        yield f"> {t('hint: ', '提示：')}{plain_fields(rule.hint.pick())}\n"
    yield rule.why.pick() + "\n"
    for label, text in ((t("Bad:", "不通过："), rule.bad), (t("Good:", "通过："), rule.good)):
        fence = "````" if "```" in text else "```"
        yield f"{label}\n\n{fence}\n{text.rstrip()}\n{fence}\n"


def pages() -> dict[Path, str]:
    """Return every generated page with its text."""
    found = {}
    for lang in LANGS:
        set_lang(lang)
        found[DOCS / lang / "cli.md"] = cli_page()
        found[DOCS / lang / "findings.md"] = findings_page()
        found[DOCS / lang / "choose.md"] = docs_choose.choose_page(load_catalog())
        found[DOCS / lang / "data-formats.md"] = docs_choose.formats_page(load_catalog())
        found |= method_pages(DOCS / lang / "methods")
    set_lang(None)
    return {path: text.rstrip() + "\n" for path, text in found.items()}


def method_pages(folder: Path) -> dict[Path, str]:
    """Return the pages about methods in the language of this process."""
    catalog = load_catalog()
    found = {folder / "index.md": docs_methods.matrix_page(catalog)}
    for name in catalog.names():
        page = docs_methods.method_page(catalog, catalog.recipe(name))
        found[folder / docs_methods.page_name(name)] = page
    return found


def main() -> int:
    """Write the pages, or say which are stale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    stale = 0
    made = pages()
    old = {path for lang in LANGS for path in (DOCS / lang / "methods").glob("*.md")} - made.keys()
    for path in old:  # a method that is gone
        print(f"gone: {path.relative_to(DOCS.parent)}", file=sys.stderr)
        stale += check
        if not check:
            path.unlink()
    for path, text in made.items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            print(f"stale: {path.relative_to(DOCS.parent)}", file=sys.stderr)
            stale += 1
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(DOCS.parent)}")
    if stale:
        print("run `python scripts/gen_docs.py`", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
