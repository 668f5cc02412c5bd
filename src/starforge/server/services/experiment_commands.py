"""An experiment as the commands that make and submit it in a lab."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from starforge.i18n import Lang, Text
from starforge.lab.experiment import EXPERIMENT_FILE, LOCK_FILE
from starforge.lab.files import OwnFile
from starforge.lab.scaffold import OwnData, fill_experiment
from starforge.lab.templates import comment, to_yaml
from starforge.lab.values import shown
from starforge.server.core import Core
from starforge.wire.experiments import ExperimentValues

if TYPE_CHECKING:
    from starforge.server.services.experiments import Laid

END = "END-OF-FILE"
README = "README.md"
_ROWS = Text("The rows: `{file}`, as JSON lines.", "数据：`{file}`，JSON Lines 格式。")
_NOT_TEXT = Text("Put your own `{file}` there: it is not text.",
                 "请自行放入 `{file}`：它不是文本。")  # fmt: skip


def commands(core: Core, laid: Laid, values: ExperimentValues, lang: Lang) -> str:
    """Return what makes the same experiment in a shell, in the folder of a lab.

    Values go on the command line as long as they are all that ``sf new`` does not write
    itself; otherwise the files are written out. The experiment of a job is fetched.
    """
    if not laid.made and values.base is not None:
        taken = shlex.join(["sf", "job", "experiment", values.base])
        return f"{taken}\n{shlex.join(['sf', 'submit', values.name, '--watch'])}\n"
    changed, vain = _changed(core, laid, values, lang)
    same = not vain and all(one.name == EXPERIMENT_FILE for one in changed)
    short = same and _is_short(laid, values)
    lines = [_new(laid, values, short=short)]
    if not short:
        lines += _written(laid, values, changed, lang)
        lines += [f"rm {shlex.quote(f'experiments/{values.name}/{name}')}" for name in vain]
    lines.append(_submit(laid, values, short=short))
    return "\n".join(lines) + "\n"


def _is_short(laid: Laid, values: ExperimentValues) -> bool:
    """Say whether options of ``sf new`` and ``sf submit`` say everything."""
    further = (values.policies, values.then, values.description, values.tags, values.priority)
    sample = laid.recipe.scaffold
    reward = values.reward == sample.reward
    splits = set(values.data or {})
    files = all(choice.digest for choice in (values.data or {}).values())
    settable = set(sample.params) <= set(values.params)
    return not any(further) and reward and splits <= {"train"} and files and settable


def _new(laid: Laid, values: ExperimentValues, *, short: bool) -> str:
    words = ["sf", "new", values.name, "--method", values.method]
    if not short:
        return shlex.join(words)
    train = (values.data or {}).get("train")
    if train is not None and not laid.rows.sample:
        words += ["--data", train.file]
        for old, new in values.map.items():
            words += ["--map", f"{new}={old}"]
    for key in ("model", "teacher"):
        if getattr(values, key) not in (None, "", getattr(laid.recipe.scaffold, key)):
            words += [f"--{key}", getattr(values, key)]
    return shlex.join(words)


def _submit(laid: Laid, values: ExperimentValues, *, short: bool) -> str:
    words = ["sf", "submit", values.name]
    sample = laid.recipe.scaffold
    if short:
        for name, value in values.params.items():
            if name not in sample.params or sample.params[name] != value:
                words += ["--set", f"{name}={to_yaml(value)}"]
        if values.resources not in (None, sample.resources or "local"):
            words += ["--profile", str(values.resources)]
    for text in values.sets:
        words += ["--set", text]
    return shlex.join([*words, "--watch"])


def _changed(
    core: Core, laid: Laid, values: ExperimentValues, lang: Lang
) -> tuple[list[OwnFile], list[str]]:
    """Return the files that are not as ``sf new`` writes them, and those it writes in vain."""
    with tempfile.TemporaryDirectory(prefix="sf-new-") as temp:
        plain = Path(temp)
        fill_experiment(
            plain, values.name, laid.recipe, core.catalog, lang=lang, data=OwnData(train=None)
        )
        files = [one for one in laid.files() if one.name not in (LOCK_FILE, README)]
        changed = [one for one in files if not _same(one, plain / one.name)]
        names = {path.relative_to(plain).as_posix() for path in plain.rglob("*") if path.is_file()}
    return changed, sorted(names - {one.name for one in files} - {README})


def _same(one: OwnFile, other: Path) -> bool:
    if not other.is_file():
        return False
    mode = bool(other.stat().st_mode & 0o100)
    return mode == one.executable and one.path.read_bytes() == other.read_bytes()


def _written(
    laid: Laid, values: ExperimentValues, changed: Sequence[OwnFile], lang: Lang
) -> list[str]:
    folder = f"experiments/{values.name}"
    lines = []
    for one in changed:
        target = shlex.quote(f"{folder}/{one.name}")
        if "/" in one.name:
            lines.append(f"mkdir -p {shlex.quote(str(Path(folder, one.name).parent))}")
        lines += _content(one, target, lang)
        if one.executable:
            lines.append(f"chmod +x {target}")
    for name in laid.rows.files if not laid.rows.sample else ():
        lines += comment(_ROWS.pick(lang).format(file=shown(Path(name).name)))
        place = Path(folder, name)
        lines.append(f"mkdir -p {shlex.quote(str(place.parent))}")
        lines.append(f"cp {shlex.quote(place.name)} {shlex.quote(str(place))}")
    return lines


def _content(one: OwnFile, target: str, lang: Lang) -> list[str]:
    """Return the lines that write a file; a here-document only where it keeps every byte."""
    try:
        text = one.path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        text = "\x00"
    if "\x00" in text:
        return comment(_NOT_TEXT.pick(lang).format(file=shown(one.name)))
    if "\r" in text or END in text.splitlines() or not text.endswith("\n"):
        return [f"printf %s {shlex.quote(text)} > {target}"]
    return [f"cat > {target} <<'{END}'", text.removesuffix("\n"), END]
