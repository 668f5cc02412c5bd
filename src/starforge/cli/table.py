"""Which commands ``sf`` has, and in which module each lives."""

from __future__ import annotations

from typing import NamedTuple

from starforge.cli.base import Both


class Lazy(NamedTuple):
    """A command that is imported when it is used. ``text`` is its line in ``sf --help``."""

    module: str
    attribute: str
    text: Both


SECTIONS: list[tuple[Both, dict[str, Lazy]]] = [
    (
        ("Experiments", "实验"),
        {
            "init": Lazy(
                "lab",
                "init",
                ("Create a lab: a folder for experiments.", "新建一个 lab（存放实验的文件夹）。"),
            ),
            "new": Lazy(
                "lab", "new", ("Create an experiment of a method.", "按某个方法新建一个实验。")
            ),
            "ls": Lazy(
                "lab", "ls", ("List the experiments of this lab.", "列出当前 lab 中的实验。")
            ),
            "methods": Lazy(
                "methods",
                "methods",
                ("Browse the methods and their parameters.", "浏览方法及其参数。"),
            ),
            "suggest": Lazy(
                "suggest",
                "suggest",
                ("Look at data and recommend methods.", "查看数据并推荐方法。"),
            ),
            "validate": Lazy(
                "validate",
                "validate",
                ("Check experiments; touch nothing.", "检查实验，不做任何改动。"),
            ),
            "explain": Lazy(
                "explain",
                "explain",
                ("Explain a finding, with examples.", "解释检查结果的代码，附示例。"),
            ),
            "plan": Lazy(
                "plan", "plan", ("Show exactly what would run.", "显示将要运行的全部内容。")
            ),
            "smoke": Lazy(
                "smoke",
                "smoke",
                ("Train two steps of it here, made small.", "在本机把它缩小后试跑两步。"),
            ),
            "reward": Lazy(
                "reward",
                "reward",
                (
                    "Try a reward on real rows, and measure it.",
                    "在真实数据行上试用和测速奖励函数。",
                ),
            ),
            "import": Lazy(
                "convert",
                "import_",
                (
                    "Make an experiment from another tool's launch.",
                    "把其他工具的启动脚本变成实验。",
                ),
            ),
            "port": Lazy(
                "convert",
                "port",
                ("Make the same experiment for another stack.", "把实验换到另一套框架上。"),
            ),
            "recipe": Lazy(
                "recipe",
                "recipe",
                (
                    "See what changed since an experiment was locked.",
                    "查看实验锁定之后的变化并升级。",
                ),
            ),
        },
    ),
    (
        ("Jobs", "任务"),
        {
            "submit": Lazy(
                "submit", "submit", ("Run an experiment as a job.", "把实验作为任务提交运行。")
            ),
            "job": Lazy("job", "job", ("Look at jobs and steer them.", "查看和控制任务。")),
            "pipeline": Lazy(
                "pipeline",
                "pipeline",
                ("Run stages that build on each other.", "运行环环相扣的多个阶段。"),
            ),
            "sweep": Lazy("sweep", "sweep", ("Try values of parameters.", "尝试多组参数取值。")),
            "bench": Lazy(
                "bench", "bench", ("Benchmark models and compare scores.", "评测模型、对比得分。")
            ),
            "board": Lazy(
                "board_external",
                "board",
                ("Keep scores that others measured.", "保存他人测得的得分。"),
            ),
        },
    ),
    (
        ("Data, models, runtimes", "数据、模型与运行环境"),
        {
            "dataset": Lazy(
                "dataset", "dataset", ("Register data and look it up.", "登记和查询数据集。")
            ),
            "model": Lazy(
                "model", "model", ("Register models and look them up.", "登记和查询模型。")
            ),
            "runtime": Lazy(
                "runtime",
                "runtime",
                (
                    "Install the pinned environments of frameworks.",
                    "安装各框架的固定版本运行环境。",
                ),
            ),
        },
    ),
    (
        ("Server", "服务"),
        {
            "up": Lazy("server", "up", ("Start the embedded server.", "启动内嵌服务。")),
            "down": Lazy(
                "server",
                "down",
                ("Stop the embedded server; jobs go on.", "停止内嵌服务，任务继续运行。"),
            ),
            "status": Lazy(
                "server",
                "status",
                ("Show whether a server runs, and where.", "查看服务是否在运行及其地址。"),
            ),
            "open": Lazy(
                "console",
                "open_",
                ("Open the web console, signed in.", "打开网页控制台并自动登录。"),
            ),
            "admin": Lazy(
                "admin",
                "admin",
                ("Back up the server's state, and restore it.", "备份和恢复服务的状态。"),
            ),
            "login": Lazy("login", "login", ("Use a server elsewhere.", "改用别处的服务。")),
            "logout": Lazy("login", "logout", ("Forget that server.", "不再使用那个服务。")),
        },
    ),
    (
        ("This tool", "本工具"),
        {
            "version": Lazy("about", "version", ("Show versions.", "显示版本。")),
            "completion": Lazy(
                "about", "completion", ("Print shell completion.", "输出 shell 补全脚本。")
            ),
        },
    ),
]
COMMANDS: dict[str, Lazy] = {name: lazy for _, part in SECTIONS for name, lazy in part.items()}
