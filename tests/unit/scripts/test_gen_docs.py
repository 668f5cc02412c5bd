"""The generated reference pages are those of the code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_reference_pages_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/gen_docs.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_stale_page_is_found(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib\n"
        f"sys.path.insert(0, {str(ROOT / 'scripts')!r})\n"
        "import gen_docs\n"
        f"gen_docs.DOCS = pathlib.Path({str(tmp_path / 'docs')!r})\n"
        "sys.argv = ['gen_docs'] + sys.argv[1:]\n"
        "sys.exit(gen_docs.main())\n"
    )

    def run(*args: str) -> int:
        return subprocess.run(
            [sys.executable, "-c", code, *args], capture_output=True, check=False
        ).returncode

    assert run("--check") == 1
    assert run() == 0
    assert run("--check") == 0
    page = tmp_path / "docs/zh/cli.md"
    page.write_text(page.read_text().replace("sf submit", "sf sbumit"))
    assert run("--check") == 1


def test_every_finding_is_on_the_page_in_both_languages() -> None:
    from starforge.findings import all_rules
    from starforge.lab import rules_config

    assert rules_config.UNKNOWN_KEY in all_rules()
    for lang in ("en", "zh"):
        page = (ROOT / f"docs/{lang}/findings.md").read_text(encoding="utf-8")
        for rule in all_rules():
            title = rule.title.zh if lang == "zh" else rule.title.en
            assert f"### {rule.code}\n\n**{title}**" in page
