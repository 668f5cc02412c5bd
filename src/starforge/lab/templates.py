"""The texts of new labs and experiments. Comments teach; nothing is left to fill in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from starforge.catalog.models import Parameter, Preset, Recipe
from starforge.i18n import Lang, Text
from starforge.lab.scalars import plain_value
from starforge.lab.wrap import wrap

_WIDTH = 92

GITIGNORE = """\
# Caches, editors, and what local runs leave
__pycache__/
*.pyc
.venv/
.ipynb_checkpoints/
.DS_Store
starforge-runs/
outputs/
# Weights are large: keep them out of git
*.safetensors
*.gguf
*.bin
*.pt
"""

_LAB_FILE = Text(
    """\
# This file marks the folder as a StarForge lab. Experiments lie in experiments/, data that
# several of them use in data/, your own benchmarks in benchmarks/.
name: {name}
""",
    """\
# 此文件表示该文件夹是一个 StarForge lab。实验放在 experiments/，多个实验共用的数据放在 data/，
# 自己的评测包放在 benchmarks/。
name: {name}
""",
)
_LAB_README = Text(
    """\
# {name}

A StarForge lab.

```
experiments/NAME/    one experiment: experiment.yaml, config.yaml, recipe.lock.json, code, data
data/                data that several experiments use
benchmarks/NAME/     your own benchmarks: pack.yaml and its data
```

```
sf methods                         what there is
sf new my-sft --method trl/sft     a new experiment that works as created
sf validate my-sft                 everything that is wrong with it, at once
sf plan my-sft                     exactly what will run
sf submit my-sft --watch           run it
```

Paths in an experiment are relative to its folder, then to this one.
""",
    """\
# {name}

一个 StarForge lab。

```
experiments/名字/    一个实验：experiment.yaml、config.yaml、recipe.lock.json、代码、数据
data/                多个实验共用的数据
benchmarks/名字/     自己的评测包：pack.yaml 及其数据
```

```
sf methods                         有哪些方法
sf new my-sft --method trl/sft     新建一个开箱即可运行的实验
sf validate my-sft                 一次列出所有问题
sf plan my-sft                     查看将要执行的确切内容
sf submit my-sft --watch           运行
```

实验中的路径先相对实验文件夹、再相对本文件夹解析。
""",
)
_EXPERIMENT_README = Text(
    """\
# {name}

{title} with `{method}` ({pin}). {summary}

- `experiment.yaml`: method, model, data, parameters. Start here.
- `config.yaml`: keys of {framework} itself that have no parameter, where they differ from its
  defaults.
- `recipe.lock.json`: what this experiment was made for. `sf validate` says when that changes.

```
sf validate {name}
sf plan {name}
sf submit {name} --watch
```

Use it when: {use_when}

Avoid it when: {avoid_when}
""",
    """\
# {name}

{title}，方法 `{method}`（{pin}）。{summary}

- `experiment.yaml`：方法、模型、数据、参数，从这里开始。
- `config.yaml`：{framework} 自己的键（没有对应公开参数的那些），只写与默认值不同的部分。
- `recipe.lock.json`：记录实验对应的版本；有变化时 `sf validate` 会提示。

```
sf validate {name}
sf plan {name}
sf submit {name} --watch
```

适用：{use_when}

不适用：{avoid_when}
""",
)
_HEAD = Text(
    "{name}: {title}. Check it with `sf validate {name}`, see exactly what runs with "
    "`sf plan {name}`, start it with `sf submit {name} --watch`.",
    "{name}：{title}。用 `sf validate {name}` 检查，用 `sf plan {name}` 查看将要执行的内容，"
    "用 `sf submit {name} --watch` 运行。",
)
_MODEL = Text(
    "What to start from: a folder, a hub id `org/name`, `job:ID` of an earlier job, or "
    "`model:NAME@VERSION`. `starforge:tiny` is a small random model made on the spot: good for "
    "trying things out, it has learnt nothing.",
    "起点模型：文件夹、hub 上的 `org/name`、之前任务的 `job:ID`，或 `model:名字@版本`。"
    "`starforge:tiny` 是当场生成的随机小模型，适合试跑流程，它什么也没学过。",
)
_TEACHER = Text(
    "The model to learn from, named like `model`. It must use the same tokens as the one that "
    "is trained.",
    "教师模型，写法与 `model` 相同，词表必须与被训练的模型一致。",
)
_REWARD = Text(
    "What scores the answers: a Python file of this folder with a function `reward`, or a "
    "reward model, named like `model`.",
    "给回答打分的依据：本文件夹里含 `reward` 函数的 Python 文件，"
    "或奖励模型（写法与 `model` 相同）。",
)
SAMPLE_FILE = "data/train.jsonl"
_DATA = Text(
    "Files of JSON lines, or dataset:NAME@VERSION. Columns: {columns}.",
    "JSON Lines 文件，或 dataset:名字@版本。列：{columns}。",
)
_SAMPLE_DATA = Text(
    f"{_DATA.en} The sample only shows the form; put your own rows here.",
    f"{_DATA.zh}示例数据只用于展示格式，请换成自己的数据。",
)
_MAP = Text(
    "Columns of the files, and the names that the method reads them by.",
    "文件中的列名，以及方法读取时使用的名字。",
)
_PARAMS = Text(
    "Parameters by their published names. All of them: `sf methods {method}`. For one run: "
    "`sf submit {name} --set NAME=VALUE`.",
    "参数使用公开名称，全部参数见 `sf methods {method}`。"
    "只改一次运行：`sf submit {name} --set 名字=值`。",
)
_RESOURCES = Text(
    "What the job asks for: `local` (the method's minimum), `cpu:N` or `gpu:N`.",
    "任务申请的资源：`local`（方法的最低要求）、`cpu:N` 或 `gpu:N`。",
)
_POLICIES = Text(
    "When a running job is stopped: at the first NaN loss (on by default), or after a time.",
    "何时停止运行中的任务：损失出现 NaN 时（默认开启），或超过时限。",
)
_CONFIG = Text(
    "Keys of {pin} itself, only what differs from upstream's defaults. What has a parameter "
    "(`sf methods {method}`) belongs into experiment.yaml. `sf plan` shows the result.",
    "{pin} 自己的键，只写与上游默认值不同的部分。已有公开参数的（见 `sf methods {method}`）请写在 "
    "experiment.yaml 中。用 `sf plan` 查看最终结果。",
)
_OPEN_CONFIG = Text(
    "Your script's own settings. It finds them, with the parameters, as JSON in the file named "
    "by the environment variable STARFORGE_CONFIG.",
    "你的脚本自己的设置。脚本可在环境变量 STARFORGE_CONFIG 所指的 JSON 文件中读到它们和参数。",
)


def lab_file(name: str, lang: Lang) -> str:
    """Return starforge.yaml."""
    return _LAB_FILE.pick(lang).format(name=to_yaml(name))


def lab_readme(name: str, lang: Lang) -> str:
    """Return the README of a lab."""
    return _LAB_README.pick(lang).format(name=name)


def experiment_readme(name: str, recipe: Recipe, lang: Lang) -> str:
    """Return the README of an experiment."""
    return _EXPERIMENT_README.pick(lang).format(
        name=name, method=recipe.name, pin=recipe.pin, framework=recipe.framework,
        title=recipe.title.pick(lang), summary=recipe.summary.pick(lang),
        use_when=recipe.use_when.pick(lang), avoid_when=recipe.avoid_when.pick(lang),
    )  # fmt: skip


def config_file(recipe: Recipe, lang: Lang) -> str:
    """Return config.yaml with the scaffold's native keys."""
    head = _OPEN_CONFIG if recipe.framework == "custom" else _CONFIG
    lines = comment(head.pick(lang).format(pin=recipe.pin, method=recipe.name))
    lines += [f"{key}: {to_yaml(value)}" for key, value in recipe.scaffold.config.items()]
    return "\n".join(lines) + "\n"


def experiment_file(
    name: str,
    recipe: Recipe,
    lang: Lang,
    *,
    train: str | None,
    columns: Mapping[str, str],
    splits: Mapping[str, str] | None = None,
    sample: bool = False,
) -> str:
    """Return experiment.yaml: the scaffold's values, everything else as comments.

    ``train`` is the training file, if there is one, ``splits`` are those beside it;
    ``columns`` renames their columns (old name to new name). ``sample`` says that the rows
    only show the form.
    """
    data = ({} if train is None else {"train": train}) | dict(splits or {})
    title = recipe.title.pick(lang)
    lines = comment(_HEAD.pick(lang).format(name=name, title=title))
    lines += ["", f"method: {recipe.name}"]
    if recipe.model != "none":
        model = recipe.scaffold.model
        lines += ["", *comment(_MODEL.pick(lang)), _input_line("model", model, "models/base")]
    if recipe.teacher != "none":
        teacher = recipe.scaffold.teacher
        line = _input_line("teacher", teacher, "models/teacher")
        lines += ["", *comment(_TEACHER.pick(lang)), line]
    if recipe.reward != "none":
        line = _input_line("reward", recipe.scaffold.reward, "reward.py")
        lines += ["", *comment(_REWARD.pick(lang)), line]
    if recipe.data.train != "none" or data:
        text = _SAMPLE_DATA if sample else _DATA
        lines += ["", *_data_lines(recipe, lang, text, data, columns)]
    lines += ["", *comment(_PARAMS.pick(lang).format(method=recipe.name, name=name))]
    lines += _param_lines(recipe, lang)
    resources = recipe.scaffold.resources or "local"
    lines += ["", *comment(_RESOURCES.pick(lang)), f"resources: {to_yaml(resources)}"]
    lines += ["", *comment(_POLICIES.pick(lang)), "# policies: {nan_loss: true, time_limit: 2h}"]
    return "\n".join(lines) + "\n"


def _input_line(key: str, given: str | None, sample: str) -> str:
    return f"{key}: {to_yaml(given)}" if given else f"# {key}: {sample}"


def _data_lines(
    recipe: Recipe, lang: Lang, text: Text, data: Mapping[str, str], columns: Mapping[str, str]
) -> list[str]:
    word, anything = (" or ", "any") if lang == "en" else (" 或 ", "任意")
    needed = word.join("+".join(shape) for shape in recipe.data.shapes) or anything
    lines = comment(text.pick(lang).format(columns=needed))
    if not data:
        return [*lines, "# data: {train: data/train.jsonl}"]
    lines += ["data:", *(f"  {split}: {to_yaml(file)}" for split, file in data.items())]
    if columns:
        lines += comment(_MAP.pick(lang), indent="  ")
        pairs = [f"    {to_yaml(old)}: {to_yaml(new)}" for old, new in columns.items()]
        lines += ["  map:", *pairs]
    if recipe.data.validation != "none" and "validation" not in data:
        lines.append("  # validation: data/validation.jsonl")
    return lines


def _param_lines(recipe: Recipe, lang: Lang) -> list[str]:
    given = recipe.scaffold.params
    lines = ["params:" if given else "# params:"]
    for name, value in given.items():
        known = recipe.parameter(name) or recipe.preset(name)
        if known is not None:
            lines += comment(_about(known, lang), indent="  ")
        lines.append(f"  {to_yaml(name)}: {to_yaml(value)}")
    for name in recipe.scaffold.suggest:
        parameter = recipe.parameter(name)
        if parameter is not None and name not in given:
            lines += comment(_about(parameter, lang), indent="  ")
            lines.append(f"  # {name}: {to_yaml(parameter.default)}")
    return lines


def _about(parameter: Parameter | Preset, lang: Lang) -> str:
    text = parameter.description.pick(lang)
    advice = parameter.advice.pick(lang) if parameter.advice else ""
    glue = " " if lang == "en" and advice else ""
    return f"{text}{glue}{advice}"


def comment(text: str, indent: str = "") -> list[str]:
    """Wrap a text into comment lines; a Chinese character counts as two columns."""
    lines = wrap(text, _WIDTH - len(indent) - 2) or [""]
    return [f"{indent}# {line}" for line in lines]


class _Dumper(yaml.SafeDumper):
    """Quotes every text that :mod:`starforge.lab.scalars` would read as something else."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    try:
        plain = plain_value(text) == text
    except ValueError:
        plain = False
    style = None if plain else "'"
    if not text.isprintable():
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def to_yaml(value: Any) -> str:
    """Write a value on one line, so that reading it gives the same value."""
    text = yaml.dump(
        value, Dumper=_Dumper, default_flow_style=True, allow_unicode=True, width=10_000
    )
    return str(text).removesuffix("\n").removesuffix("\n...").strip()
