"""``sf init``, ``sf new`` and ``sf ls``: the project on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import argument, command, json_option, option
from starforge.cli.complete import complete_experiment, complete_method
from starforge.cli.output import note, print_json, print_table, say
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.lab.lab import Lab


@command(
    "init",
    (
        "Make a folder a lab: a place for experiments, data and benchmarks.\n\nFiles that are "
        "already there are left as they are.",
        "把文件夹变成一个 lab：存放实验、数据和评测的地方。\n\n已有的文件保持原样。",
    ),
    ("sf init my-lab && cd my-lab", ("a new lab", "新建一个 lab")),
    ("sf init .", ("make this folder one", "把当前文件夹变成 lab")),
)
@argument("folder", ("The folder.", "文件夹。"), metavar="DIR", type=click.Path(path_type=Path))
@json_option
def init(folder: Path, as_json: bool) -> None:
    """A lab that exists already is an error; nothing of it is touched."""
    from starforge.lab.scaffold import init_lab

    created = init_lab(folder)
    if as_json:
        print_json({"lab": str(folder.absolute()), "created": [str(path) for path in created]})
        return
    for path in created:
        say(t("created {path}", "已创建 {path}", path=path))
    say(
        t(
            "next: `cd {lab}`, then `sf new my-sft --method trl/sft`",
            "下一步：`cd {lab}`，然后 `sf new my-sft --method trl/sft`",
            lab=folder,
        )
    )


@command(
    "new",
    (
        "Create an experiment that validates and starts as created.\n\nIt comes with tiny sample "
        "data and comments that teach. --data takes your own instead: JSON lines stay where they "
        "are, another format is written into the experiment as JSON lines. --from copies another "
        "experiment of the lab.",
        "新建一个开箱即可通过检查并运行的实验。\n\n自带少量样例数据和讲解性的注释。"
        "--data 改用自己的数据：JSON Lines 文件留在原处，其他格式则转换成 JSON Lines 写入实验。"
        "--from 则复制 lab 中的另一个实验。",
    ),
    ("sf new my-sft --method trl/sft", ("from a method", "按方法新建")),
    (
        "sf new my-sft --method trl/sft --data qa.csv --map prompt=question",
        ("with your data, one column renamed", "用自己的数据，并重命名一列"),
    ),
    (
        "sf new my-grpo --method trl/grpo --reward math",
        ("with a reward that compares mathematically", "使用按数学意义比较的奖励"),
    ),
    ("sf new my-sft-2 --from my-sft", ("a copy to change", "复制一份来修改")),
)
@argument("name", ("Name of the experiment.", "实验的名字。"))
@option(
    "--method",
    metavar="METHOD",
    shell_complete=complete_method,
    text=("The method, such as trl/sft.", "方法，如 trl/sft。"),
)
@option(
    "--from",
    "source",
    metavar="EXP",
    shell_complete=complete_experiment,
    text=("Copy this experiment.", "复制这个实验。"),
)
@option(
    "--data",
    metavar="FILE",
    type=click.Path(path_type=Path),
    text=("Train on these data instead of the sample.", "用这份数据训练，代替样例数据。"),
)
@option(
    "--map",
    "renames",
    multiple=True,
    metavar="NEW=OLD",
    text=(
        "Read column OLD of the data as NEW. May be repeated.",
        "把数据的列 OLD 当作 NEW 读取，可重复使用。",
    ),
)
@option("--model", metavar="M", text=("The model to train.", "要训练的模型。"))
@option("--teacher", metavar="M", text=("The model to learn from.", "教师模型。"))
@option(
    "--reward",
    type=click.Choice(["numeric", "math", "code", "judge", "format"]),
    text=(
        "Write a reward.py of this kind, from the built-in rewards.",
        "用内置奖励写一个这一类的 reward.py。",
    ),
)
@json_option
def new(
    *,
    name: str,
    method: str | None,
    source: str | None,
    data: Path | None,
    renames: tuple[str, ...],
    model: str | None,
    teacher: str | None,
    reward: str | None,
    as_json: bool,
) -> None:
    """The method of a copied experiment is its own unless ``--method`` says the same."""
    from starforge.cli.new_inputs import own_data, with_models, with_reward
    from starforge.client.catalogs import connected_catalog
    from starforge.lab.lab import find_experiment
    from starforge.lab.scaffold import new_experiment
    from starforge.prepare import runtime_digests

    lab = this_lab()
    if source is not None and (data or renames or model or teacher or reward):
        raise click.UsageError(
            t(
                "--from copies an experiment as it is: change its experiment.yaml afterwards",
                "--from 会原样复制实验，请之后再改 experiment.yaml",
            )
        )
    origin = find_experiment(source) if source is not None else None
    method = method or (_method_of(origin) if origin is not None else None)
    if method is None:
        raise click.UsageError(
            t(
                "say which method (--method) or which experiment to copy (--from)",
                "请用 --method 指定方法，或用 --from 指定要复制的实验",
            )
        )
    catalog, _ = connected_catalog()
    recipe = catalog.recipe(method)
    recipe = with_models(recipe, model, teacher)
    recipe, files = with_reward(recipe, reward, sample=data is None)
    made = new_experiment(
        lab, name, recipe, catalog, from_=origin, runtime=runtime_digests(recipe),
        data=own_data(lab, recipe, data, renames), files=files,
    )  # fmt: skip
    if as_json:
        print_json({"name": name, "method": method, "folder": str(made)})
        return
    _say_made(made, name)


def _say_made(made: Path, name: str) -> None:
    for path in sorted(path for path in made.rglob("*") if path.is_file()):
        say(t("created {path}", "已创建 {path}", path=_short(path)))
    say(
        t(
            "next: `sf validate {name}`, then `sf submit {name} --watch`",
            "下一步：`sf validate {name}`，然后 `sf submit {name} --watch`",
            name=name,
        )
    )


def _short(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _method_of(folder: Path) -> str | None:
    from starforge.lab.experiment import load_experiment

    experiment, _ = load_experiment(folder)
    return experiment.method if experiment is not None else None


def this_lab(folder: str | None = None) -> Lab:
    """Return the lab around ``folder`` (else the working folder); raise when there is none."""
    from starforge.errors import StarForgeError
    from starforge.i18n import Text
    from starforge.lab.lab import find_lab

    start = Path(folder) if folder is not None else Path.cwd()
    lab = find_lab(start)
    if lab is None:
        raise StarForgeError(
            "lab/none-here",
            Text(f"{start} is in no lab", f"{start} 不在任何 lab 中"),
            Text(
                "make one with `sf init DIR` and go there",
                "请用 `sf init 文件夹` 新建一个 lab 并进入其中",
            ),
        )
    return lab


@command(
    "ls",
    ("List the experiments of the lab around this folder.", "列出当前所在 lab 中的实验。"),
    ("sf ls", ("name, method, description", "名字、方法与说明")),
    ("sf ls --json", ("for a script", "供脚本使用")),
)
@json_option
def ls(as_json: bool) -> None:
    """JSON is a list of ``{name, method, model, folder, description, tags}``."""
    lab = this_lab()
    found = [_summary(folder) for folder in lab.experiments()]
    if as_json:
        print_json(found)
        return
    if not found:
        note(
            t(
                "no experiments yet: `sf new NAME --method METHOD` creates one",
                "还没有实验：用 `sf new 名字 --method 方法` 新建",
            )
        )
        return
    print_table(
        [t("name", "名字"), t("method", "方法"), t("model", "模型"), t("description", "说明")],
        [
            (
                one["name"],
                one["method"] or t("(broken)", "（有误）"),
                one["model"],
                one["description"],
            )
            for one in found
        ],
    )


def _summary(folder: Path) -> dict[str, Any]:
    from starforge.lab.experiment import load_experiment

    experiment, _ = load_experiment(folder)
    return {
        "name": folder.name,
        "method": experiment.method if experiment else None,
        "model": experiment.model if experiment else None,
        "folder": str(folder),
        "description": experiment.description if experiment else None,
        "tags": experiment.tags if experiment else [],
    }
