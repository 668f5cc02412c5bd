"""Create labs and experiments that validate, and start, as created."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from starforge.catalog.load import Catalog
from starforge.catalog.models import Recipe
from starforge.errors import StarForgeError
from starforge.i18n import Lang, Text, current_lang
from starforge.lab import templates
from starforge.lab.experiment import CONFIG_FILE, EXPERIMENT_FILE, LOCK_FILE, load_experiment
from starforge.lab.ignore import load_ignore
from starforge.lab.lab import EXPERIMENTS, LAB_FILE, Lab
from starforge.lab.lock import encode_lock, make_lock

# Letters of any script, digits, `.`, `_` and `-`; first a letter or a digit.
_NAME = re.compile(r"[^\W_][\w.-]*")
_NAME_BYTES = 120


class OwnData(msgspec.Struct, frozen=True, kw_only=True):
    """Data for a new experiment instead of the sample.

    ``train`` is the reference as it stands in experiment.yaml, ``splits`` those of other
    splits; ``columns`` renames columns (old name to new name). ``write`` fills the training
    file, when it is to be made in the folder.
    """

    train: str | None
    splits: dict[str, str] = {}
    columns: dict[str, str] = {}
    write: Callable[[Path], object] | None = None


def init_lab(folder: Path, lang: Lang | None = None) -> list[Path]:
    """Make ``folder`` a lab; return what was created.

    Files that are already there are left as they are. Raises :class:`StarForgeError` when
    the folder is a lab already or can't be written.
    """
    lang = lang or current_lang()
    if (folder / LAB_FILE).exists():
        raise StarForgeError(
            "lab/exists",
            Text(f"{folder} is a lab already", f"{folder} 已经是 lab"),
            Text("`sf new NAME --method METHOD` adds an experiment",
                 "用 `sf new 名字 --method 方法` 添加实验"),
        )  # fmt: skip
    name = folder.absolute().name
    texts = {
        "README.md": templates.lab_readme(name, lang),
        ".gitignore": templates.GITIGNORE,
        f"{EXPERIMENTS}/.gitkeep": "",
        "data/.gitkeep": "",
        # Last: the folder is a lab only when everything else is there.
        LAB_FILE: templates.lab_file(name, lang),
    }
    created = []
    with _writing(folder):
        for relative, text in texts.items():
            path = folder / relative
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.write_text(text, "utf-8")
                created.append(path)
    return created


def new_experiment(
    lab: Lab,
    name: str,
    recipe: Recipe,
    catalog: Catalog,
    *,
    from_: Path | None = None,
    runtime: dict[str, str] | None = None,
    lang: Lang | None = None,
    data: OwnData | None = None,
    files: Mapping[str, str] | None = None,
) -> Path:
    """Create ``experiments/NAME`` and return it; it appears whole or not at all.

    ``from_`` copies another experiment of the same method instead of the recipe's sample;
    ``runtime`` are the digests for the lock (see ``prepare.runtime_digests``). With ``data``
    the experiment trains on these instead of the sample; ``files`` (name to text) come on top
    of the recipe's. Raises :class:`StarForgeError` for a
    bad or taken name and for a method that differs.
    """
    lang = lang or current_lang()

    def fill(folder: Path) -> None:
        if from_ is not None:
            _copy(from_, folder, recipe)
        else:
            fill_experiment(folder, name, recipe, catalog, lang=lang, data=data)
        for relative, text in (files or {}).items():
            (folder / relative).parent.mkdir(exist_ok=True)
            (folder / relative).write_text(text, "utf-8")

    return create_experiment(lab, name, recipe, catalog, fill, runtime=runtime)


def create_experiment(
    lab: Lab,
    name: str,
    recipe: Recipe,
    catalog: Catalog,
    fill: Callable[[Path], None],
    *,
    runtime: dict[str, str] | None = None,
) -> Path:
    """Create ``experiments/NAME`` with the files that ``fill`` writes, and a lock.

    It appears whole or not at all. Raises :class:`StarForgeError` for a bad or taken name.
    """
    target = lab.root / EXPERIMENTS / check_name(name)
    if target.exists() or target.is_symlink():
        raise StarForgeError(
            "lab/experiment-exists",
            Text(f"there is an experiment `{name}` already ({target})",
                 f"实验 `{name}` 已存在（{target}）"),
            Text("choose another name, or remove that folder yourself",
                 "请换个名字，或自行删除该文件夹"),
        )  # fmt: skip
    with _writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        working = Path(tempfile.mkdtemp(prefix=".new-", dir=target.parent))
        try:
            fill(working)
            lock = make_lock(recipe, catalog.contract_digest(recipe), runtime=runtime)
            (working / LOCK_FILE).write_bytes(encode_lock(lock))
            working.chmod(0o755)
            working.rename(target)
        except BaseException:
            shutil.rmtree(working, ignore_errors=True)
            raise
    return target


def check_name(name: str) -> str:
    """Return ``name`` when it can name an experiment."""
    if _NAME.fullmatch(name) and len(name.encode()) <= _NAME_BYTES:
        return name
    raise StarForgeError(
        "lab/name",
        Text(f"`{name}` can't be the name of an experiment", f"`{name}` 不能用作实验名"),
        Text("use letters, digits, `.`, `_` and `-`, and start with a letter or a digit",
             "请使用字母（含汉字）、数字、`.`、`_` 和 `-`，并以字母或数字开头"),
    )  # fmt: skip


def fill_experiment(
    folder: Path,
    name: str,
    recipe: Recipe,
    catalog: Catalog,
    *,
    lang: Lang,
    data: OwnData | None = None,
) -> None:
    """Write the files of a new experiment into ``folder``, all but its lock."""
    rows = sample_rows(recipe) if data is None else []
    train = data.train if data else (templates.SAMPLE_FILE if rows else None)
    columns = data.columns if data else {}
    texts = {
        EXPERIMENT_FILE: templates.experiment_file(
            name,
            recipe,
            lang,
            train=train,
            columns=columns,
            splits=data.splits if data else None,
            sample=bool(rows),
        ),
        CONFIG_FILE: templates.config_file(recipe, lang),
        "README.md": templates.experiment_readme(name, recipe, lang),
    }
    if rows:
        lines = [msgspec.json.encode(row).decode() for row in rows]
        texts[templates.SAMPLE_FILE] = "\n".join(lines) + "\n"
    for relative, text in texts.items():
        path = folder / relative
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    if data is not None and data.train is not None and data.write is not None:
        (folder / data.train).parent.mkdir(exist_ok=True)
        data.write(folder / data.train)
    for file in recipe.scaffold.files:
        shutil.copyfile(catalog.scaffold_file(recipe, file, lang), folder / file)
        if file.endswith(".sh"):
            (folder / file).chmod(0o755)


def sample_rows(recipe: Recipe) -> list[dict[str, object]]:
    """Return the recipe's example rows, repeated to ``scaffold.rows`` when there are fewer."""
    example = recipe.data.example
    if recipe.data.train == "none" or not example:
        return []
    count = max(len(example), recipe.scaffold.rows)
    return [example[number % len(example)] for number in range(count)]


def _copy(source: Path, target: Path, recipe: Recipe) -> None:
    experiment, _ = load_experiment(source)
    method = experiment.method if experiment else None
    if method != recipe.name:
        raise StarForgeError(
            "lab/other-method",
            Text(f"{source.name} uses {method}, not {recipe.name}",
                 f"{source.name} 使用的方法是 {method}，而不是 {recipe.name}"),
            Text(f"copy it with `--method {method}`" if method else "give an experiment folder",
                 f"复制时请用 `--method {method}`" if method else "请给出实验文件夹"),
        )  # fmt: skip
    ignore = load_ignore(source)

    def left_out(folder: str, names: list[str]) -> set[str]:
        paths = {name: Path(folder, name) for name in names}
        return {
            name
            for name, path in paths.items()
            if ignore.matches(path.relative_to(source).as_posix(), is_dir=path.is_dir())
        }

    try:
        shutil.copytree(source, target, ignore=left_out, dirs_exist_ok=True, symlinks=True)
    except shutil.Error as error:
        first = error.args[0][0]
        raise OSError(0, str(first[2]), str(first[0])) from error


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        where = error.filename or folder
        raise StarForgeError(
            "lab/write",
            Text(f"{where} can't be written: {reason}", f"无法写入 {where}：{reason}"),
            Text("check free space and permissions", "请检查磁盘空间和权限"),
        ) from error
