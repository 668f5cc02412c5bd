"""Ready-made reward files for new experiments: ``sf new --reward KIND``."""

from __future__ import annotations

from importlib import resources

import msgspec

from starforge.catalog.models import Recipe
from starforge.i18n import Lang
from starforge.lab.templates import SAMPLE_FILE

REWARD_FILE = "reward.py"
# Besides reward.py; a kind whose column the methods' samples lack brings rows of its own.
_MORE = {"judge": {"rubric.md": "rubric.md"}, "code": {SAMPLE_FILE: "code.jsonl"}}
KINDS = ("numeric", "math", "code", "judge", "format")


def with_reward_file(recipe: Recipe) -> Recipe:
    """Return the recipe with a scaffold that names ``reward.py`` and does not bring its own."""
    scaffold = msgspec.structs.replace(
        recipe.scaffold,
        reward=REWARD_FILE,
        files=[name for name in recipe.scaffold.files if name != REWARD_FILE],
    )
    return msgspec.structs.replace(recipe, scaffold=scaffold)


def reward_files(kind: str, lang: Lang, *, sample_rows: int) -> dict[str, str]:
    """Return the files of a kind by name; its rows, at least so many, unless that is 0."""
    wanted = {REWARD_FILE: f"{kind}.py"} | _MORE.get(kind, {})
    texts = {target: _text(source, lang) for target, source in wanted.items()}
    rows = texts.pop(SAMPLE_FILE, "").splitlines(keepends=True)
    if rows and sample_rows:
        count = max(len(rows), sample_rows)
        texts[SAMPLE_FILE] = "".join(rows[number % len(rows)] for number in range(count))
    return texts


def _text(name: str, lang: Lang) -> str:
    folder = resources.files("starforge.catalog").joinpath("data", "scaffold", "rewards")
    stem, _, suffix = name.rpartition(".")
    chinese = folder.joinpath(f"{stem}.zh.{suffix}")
    return (chinese if lang == "zh" and chinese.is_file() else folder / name).read_text("utf-8")
