"""A reward file for the experiment that calls the functions the launch used, in their own way."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from starforge.convert.importing.model import Note, RewardRef
from starforge.i18n import Text
from starforge.lang import t

REWARD_FILE = "reward.py"
COPIED = "upstream_reward.py"
_NAME = re.compile(r"[A-Za-z_]\w*")
_FUNCTION = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\.([A-Za-z_]\w*)")

_VERL = '''\
"""{head}"""

{load}
OPTIONS = {options}


def reward(prompts, completions, **columns):
    """Score each answer as verl does: one call an answer, the number under `score`."""
    count = len(completions)
    answers = columns.get("answer") or [""] * count
    sources = columns.get("data_source") or [""] * count
    extras = columns.get("extra_info") or [None] * count
    rows = zip(sources, completions, answers, extras)
    return [number(score(*row)) for row in rows]


def score(source, text, answer, extra):
    """Call the function under the names that verl gives its arguments."""
    return compute_score(
        data_source=source, solution_str=text, ground_truth=answer, extra_info=extra, **OPTIONS
    )


def number(result):
    """Return what counts as the reward."""
    return float(result["score"] if isinstance(result, dict) else result)
'''
_VERL_FILE = "from upstream_reward import {name} as compute_score\n"
_VERL_DEFAULT = '''\
def compute_score(**values):
    """Score by `data_source`, as verl does without a reward function of one's own."""
    from verl.utils.reward_score import default_compute_score

    return default_compute_score(**values)

'''
_OPENRLHF = '''\
"""{head}"""

from upstream_reward import {name}


def reward(prompts, completions, **columns):
    """Score a batch as OpenRLHF does: whole texts, prompts and labels."""
    texts = [plain(prompt) for prompt in prompts]
    queries = [text + completion for text, completion in zip(texts, completions)]
    labels = columns.get("answer") or [""] * len(completions)
    result = {name}(queries, texts, labels)
    return list(result["rewards"] if isinstance(result, dict) else result)


def plain(prompt):
    """Return a prompt as text; of messages, their contents."""
    if isinstance(prompt, str):
        return prompt
    return "\\n".join(message["content"] for message in prompt)
'''
_TRL = '''\
"""{head}"""

{imports}

FUNCTIONS = {{{table}}}


def reward(prompts, completions, **columns):
    """Call each function as TRL does; their values are added up."""
    answers = [shaped(prompt, text) for prompt, text in zip(prompts, completions)]
    parts = {{
        name: function(prompts=prompts, completions=answers, **columns)
        for name, function in FUNCTIONS.items()
    }}
    return [
        {{name: values[row] or 0.0 for name, values in parts.items()}}
        for row in range(len(completions))
    ]


def shaped(prompt, text):
    """Return an answer in the form of its prompt: messages, or text."""
    return text if isinstance(prompt, str) else [{{"role": "assistant", "content": text}}]
'''


class TakenReward(msgspec.Struct, frozen=True, kw_only=True):
    """``reference`` for experiment.yaml, and the texts of files to write."""

    reference: str | None
    files: dict[str, str] = {}
    notes: list[Note] = []


def take_reward(ref: RewardRef, folder: Path) -> TakenReward:
    """Say how the reward is taken over; ``folder`` is where relative paths start."""
    if ref.style == "model":
        return TakenReward(reference=ref.names[0])
    if ref.style == "trl":
        return _of_trl(ref, folder)
    if ref.file is None:
        note = Note(kind="changed", what=REWARD_FILE, why=_OF_VERL)
        text = _VERL.format(head=_head("verl"), load=_VERL_DEFAULT, options="{}")
        return TakenReward(reference=REWARD_FILE, files={REWARD_FILE: text}, notes=[note])
    return _of_file(ref, ref.file, folder)


_OF_VERL = Text(
    "calls verl's own scoring by `data_source`; the data need that column",
    "调用 verl 按 `data_source` 内置的打分；数据需要有这一列",
)


def _of_file(ref: RewardRef, file: str, folder: Path) -> TakenReward:
    code, missing = _code(file, folder)
    if code is None or missing is not None:
        return TakenReward(reference=None, notes=[missing or _odd(file)])
    if ref.style == "starforge":
        return TakenReward(reference=REWARD_FILE, files={REWARD_FILE: code})
    name = ref.names[0]
    if not _NAME.fullmatch(name):
        return TakenReward(reference=None, notes=[_odd(name)])
    text = (_VERL if ref.style == "verl" else _OPENRLHF).format(
        head=_head(Path(file).name), name=name, load=_VERL_FILE.format(name=name),
        options=repr(ref.options),
    )  # fmt: skip
    files = {REWARD_FILE: text, COPIED: code}
    return TakenReward(reference=REWARD_FILE, files=files, notes=[_adapted(file)])


def _of_trl(ref: RewardRef, folder: Path) -> TakenReward:
    imports, table, files, notes = [], [], {}, []
    for name in ref.names:
        match = _FUNCTION.fullmatch(name)
        module, function = match.groups() if match else ("trl.rewards", name)
        if not _NAME.fullmatch(function):
            return TakenReward(reference=None, notes=[_odd(name)])
        if match is not None:
            code, missing = _code(f"{module.replace('.', '/')}.py", folder)
            if code is None:
                return TakenReward(reference=None, notes=[missing or _odd(name)])
            module = module.replace(".", "_")
            files[f"{module}.py"] = code
        imports.append(f"from {module} import {function}")
        table.append(f'"{function}": {function}')
        notes.append(_adapted(name))
    files[REWARD_FILE] = _TRL.format(
        head=_head("TRL"), imports="\n".join(imports), table=", ".join(table)
    )
    return TakenReward(reference=REWARD_FILE, files=files, notes=notes)


def _code(file: str, folder: Path) -> tuple[str | None, Note | None]:
    try:
        return (folder / Path(file).expanduser()).read_text("utf-8"), None
    except (OSError, UnicodeDecodeError, RuntimeError):
        why = Text("this file is not here; write a reward file with a function `reward`",
                   "本机没有这个文件；请写一个含 `reward` 函数的奖励文件")  # fmt: skip
        return None, Note(kind="todo", what=f"reward={file}", why=why)


def _odd(name: str) -> Note:
    why = Text("not the name of a Python function", "不是 Python 函数名")
    return Note(kind="todo", what=f"reward={name}", why=why)


def _adapted(name: str) -> Note:
    why = Text(
        f"copied; {REWARD_FILE} calls it as upstream does. Copy the files that it imports, too",
        f"已复制；{REWARD_FILE} 按上游的方式调用它。它导入的文件也请一并复制",
    )
    return Note(kind="changed", what=f"reward={name}", why=why)


def _head(origin: str) -> str:
    return t("The reward of the imported launch ({origin}).", "导入的启动所用的奖励（{origin}）。",
             origin=origin)  # fmt: skip
