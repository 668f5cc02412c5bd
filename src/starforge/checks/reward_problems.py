"""What a reward file was seen to do wrong, in both languages, and what helps."""

from __future__ import annotations

import re
import signal
from typing import NamedTuple

from starforge.i18n import Text

_LIST = Text(
    "return a list with one finite number (or a dictionary of named numbers) for each "
    "completion, for empty and unexpected ones too",
    "请为每个回答返回一个有限的数（或由命名的数组成的字典），空回答和意外的回答也不例外",
)  # fmt: skip
_ANY_TEXT = Text(
    "see what it asks for there; whatever an answer looks like, empty or wrong, it has to get a "
    "number",
    "请查看该处需要什么；无论回答是什么样，空的还是错的，都要给出数值",
)
_IMPORTS = Text(
    "a reward may import files beside it and what the runtime has",
    "奖励文件可以导入旁边的文件，以及运行环境中已有的包",
)
_COLUMNS = Text(
    "add the column, rename another with `data.map`, or give the argument a default value",
    "请补上该列，或用 `data.map` 改名，或给该参数一个默认值",
)
_LIMIT = Text("write seconds, `TIME_LIMIT = 60`, or None for no limit",
              "请写秒数，如 `TIME_LIMIT = 60`；写 None 表示不限时")  # fmt: skip
_WEIGHTS = Text('write a number for each name, `WEIGHTS = {"format": 0.1}`',
                '请为每个名字写一个数，如 `WEIGHTS = {"format": 0.1}`')  # fmt: skip
_RAISE = Text("raise an exception instead: its message becomes the reason of the job's end",
              "请改为抛出异常，异常信息会成为任务结束的原因")  # fmt: skip
_CHILD = Text("end the new process with os._exit, or start a program with subprocess.run",
              "请用 os._exit 结束新进程，或用 subprocess.run 启动程序")  # fmt: skip
_CRASH = Text("native code that it calls crashed, or the system ended it for its memory",
              "它调用的原生代码崩溃了，或系统因内存不足结束了它")  # fmt: skip
_MEMORY = Text("load less at once; in a job nothing holds it back, and the machine's memory is "
               "what it shares with the training",
               "请减少一次加载的内容；任务中没有这道限制，它会与训练争用本机内存")  # fmt: skip
_JUDGE = Text(
    "export STARFORGE_JUDGE_URL and STARFORGE_JUDGE_MODEL here to try it, and before `sf up` for "
    "jobs",
    "试用时请在当前环境中 export STARFORGE_JUDGE_URL 和 STARFORGE_JUDGE_MODEL；"
    "任务则需在 `sf up` 之前设置",
)  # fmt: skip
_AWAY = Text(
    "see that the address, the model's name and the key are right and the judge runs; "
    "`default=0.0` goes on without a score",
    "请确认地址、模型名和密钥无误且评判服务在运行；写 `default=0.0` 可在没有评分时继续",
)

_KINDS: tuple[tuple[str, str, str, Text], ...] = (
    (r"can't be imported: (.*)", "it can't be imported: {0}", "无法导入：{0}", _IMPORTS),
    (r"raised JudgeError: no judge: set (.+?) and (.+?) where .*",
     "no judge is named: {0} and {1} are not set", "没有指定评判模型：未设置 {0} 和 {1}", _JUDGE),
    (r"raised JudgeError: no judge: set (.+?) where .*",
     "no judge is named: {0} is not set", "没有指定评判模型：未设置 {0}", _JUDGE),
    (r"raised JudgeError: the judge (\S+) at (\S+) is away: (.*) \((\d+) tries\)",
     "the judge {0} at {1} is away: {2} ({3} tries)",
     "{1} 上的评判模型 {0} 联系不上：{2}（试了 {3} 次）", _AWAY),
    (r"raised JudgeError: the judge (\S+) at (\S+) answered without a score: (.*) \((\d+) tries\)",
     "the judge {0} at {1} answered without a score: {2} ({3} tries)",
     "{1} 上的评判模型 {0} 的回答里没有评分：{2}（试了 {3} 次）", _AWAY),
    (r"raised JudgeError: the judge (\S+) at (\S+) did not answer within (.*) s \((\d+) tries\)",
     "the judge {0} at {1} did not answer within {2} s ({3} tries)",
     "{1} 上的评判模型 {0} 在 {2} 秒内没有回答（试了 {3} 次）", _AWAY),
    (r"raised JudgeError: the judge (\S+) at (\S+) answered with something else than a "
     r"completion: (.*) \((\d+) tries\)",
     "the judge {0} at {1} answered with something else than a completion: {2} ({3} tries)",
     "{1} 上的评判模型 {0} 返回的不是补全结果：{2}（试了 {3} 次）", _AWAY),
    (r"raised JudgeError: the judge (\S+) at (\S+) answered (\d+: .*) \((\d+) tries\)",
     "the judge {0} at {1} answered {2} ({3} tries)",
     "{1} 上的评判模型 {0} 返回 {2}（试了 {3} 次）", _AWAY),
    (r"raised JudgeError: the judge (\S+) at (\S+) answered (\d+: .*)",
     "the judge {0} at {1} answered {2}", "{1} 上的评判模型 {0} 返回 {2}", _AWAY),
    (r"raised JudgeError: (.*)", "the judge can't be asked: {0}", "无法询问评判模型：{0}", _AWAY),
    (r"raised MemoryError.*",
     "it takes more than 8 GiB of memory", "它占用的内存超过了 8 GiB", _MEMORY),
    (r"raised (.*)", "it raised {0}", "抛出异常 {0}", _ANY_TEXT),
    (r"returned (\d+) rewards for (\d+) completions",
     "it returned {0} rewards for {1} completions", "对 {1} 个回答返回了 {0} 个奖励", _LIST),
    (r"returned (.*), not a list of rewards",
     "it returned {0}, not a list of rewards", "返回的是 {0}，而不是奖励列表", _LIST),
    (r"reward (\d+) is (.*), not a finite number",
     "reward {0} is {1}, not a finite number", "第 {0} 个奖励是 {1}，不是有限的数", _LIST),
    (r"needs columns that the data lack: (.*)",
     "it needs columns that the data lack: {0}", "需要数据中没有的列：{0}", _COLUMNS),
    (r"TIME_LIMIT is (.*), not a number of seconds above 0",
     "TIME_LIMIT is {0}, not a number of seconds above 0",
     "TIME_LIMIT 是 {0}，不是大于 0 的秒数", _LIMIT),
    (r"WEIGHTS is (.*), not a dictionary of finite numbers",
     "WEIGHTS is {0}, not a dictionary of finite numbers",
     "WEIGHTS 是 {0}，不是由有限的数组成的字典", _WEIGHTS),
    (r"has no function `(\w+)`", "it has no function `{0}`", "其中没有函数 `{0}`", _LIST),
    (r"ends the process \(exit code (.*)\)",
     "it ends the process (exit code {0})", "它结束了进程（退出码 {0}）", _RAISE),
    (r"forks, and the new process comes back from the call",
     "it forks, and the new process comes back from the call",
     "它 fork 出的进程会从调用中返回", _CHILD),
    (r"ended without an answer \(exit code (\d+)\)",
     "its process ended without an answer (exit code {0})",
     "进程没有给出结果就结束了（退出码 {0}）", _RAISE),
    (r"ended without an answer \((.*)\)",
     "its process ended without an answer ({0})", "进程没有给出结果就结束了（{0}）", _CRASH),
)  # fmt: skip


class Problem(NamedTuple):
    """What went wrong, and how to mend it."""

    text: Text
    hint: Text


def problem_of(said: str, file: str) -> Problem:
    """Say in both languages what the driver ``said`` of the reward file named ``file``."""
    problem = said.removeprefix(file).strip(" :")
    for pattern, english, chinese, hint in _KINDS:
        match = re.fullmatch(pattern, problem, re.DOTALL)
        if match is not None:
            parts = match.groups()
            return Problem(Text(english.format(*parts), chinese.format(*parts)), hint)
    return Problem(Text(problem, problem), _ANY_TEXT)


def ended(code: int) -> str:
    """Say how a child process ended that gave no answer, by its return code."""
    how = f"exit code {code}"
    if code < 0:
        try:
            how = signal.Signals(-code).name
        except ValueError:
            how = f"signal {-code}"
    return f"ended without an answer ({how})"
