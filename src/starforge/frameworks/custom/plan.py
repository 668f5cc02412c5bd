"""The launch plan of the user's own script."""

from __future__ import annotations

from typing import Any

from starforge import layout
from starforge.findings import Finding, rule
from starforge.frameworks.planfiles import assemble, config_file, driver_files, metric_names
from starforge.i18n import Text
from starforge.lab.context import PrepareContext
from starforge.plan import LaunchPlan, Process, Stream

OWN_KEYS = ("script", "args", "python", "total_steps")

SCRIPT_MISSING = rule(
    "custom/script-missing", "error",
    title=Text("The script is not in the experiment", "实验中没有这个脚本"),
    message=Text("there is no file `{script}` in the experiment folder",
                 "实验目录中没有文件 `{script}`"),
    hint=Text("create it, or name the right file with the parameter `script`; files excluded by "
              ".sfignore are not sent along",
              "请创建该文件，或用参数 `script` 指定正确的文件；被 .sfignore 排除的文件不会提交"),
    why=Text("The job runs on a copy of the experiment folder; a script that is not in it can't "
             "be started.",
             "任务在实验目录的副本上运行，不在其中的脚本无法启动。"),
    bad="script: trian.sh", good="script: train.sh",
)  # fmt: skip


class Custom:
    """Plans a job that runs the user's script with bash or python."""

    name = "custom"

    def checks(self, context: PrepareContext) -> list[Finding]:
        """Say whether the script is there."""
        script = str(context.config.get("script"))
        if any(file.path == f"{layout.CODE}/{_plain(script)}" for file in context.code_files):
            return []
        return [SCRIPT_MISSING.at(context.config.at("script"), script=script)]

    def plan(self, context: PrepareContext) -> LaunchPlan:
        """Return the plan of one run of the script."""
        config = context.config
        argv = ["bash", "${RECORD}/driver/run_script.sh", _plain(str(config.get("script")))]
        argv += [str(word) for word in config.get("args") or []]
        process = Process(role="trainer", argv=argv, env=_environment(context), cwd="${CODE}")
        return assemble(
            context,
            processes=[process],
            files=[
                config_file(user_config(context)),
                *driver_files("custom/drivers", "run_script.sh"),
            ],
            streams=_streams(context),
            total_steps=config.get("total_steps"),
        )


def user_config(context: PrepareContext) -> dict[str, Any]:
    """Return the user's own keys, as the script reads them from ``STARFORGE_CONFIG``."""
    values = context.config.nested()
    return {key: value for key, value in values.items() if key not in OWN_KEYS}


def _plain(script: str) -> str:
    return script.removeprefix("./")


def _environment(context: PrepareContext) -> dict[str, str]:
    env = {
        "PYTHONPATH": "${LIB}",
        "PYTHONUNBUFFERED": "1",
        "STARFORGE_PYTHON": context.config.get("python") or "${PYTHON}",
        "STARFORGE_TENSORBOARD_DIR": f"${{ATTEMPT}}/{layout.TENSORBOARD}",
        "TENSORBOARD_LOGGING_DIR": f"${{ATTEMPT}}/{layout.TENSORBOARD}",
    }
    for split in sorted(context.data):
        env[f"STARFORGE_DATA_{split.upper()}"] = f"${{DATA}}/{split}.jsonl"
    if context.model is not None:
        env["STARFORGE_MODEL"] = "${MODEL}"
    return env


def _streams(context: PrepareContext) -> list[Stream]:
    names = metric_names(context.recipe)
    return [
        Stream(format="report", path=f"{layout.METRICS}/*.jsonl", names=names),
        Stream(
            format="tensorboard",
            path=f"{layout.TENSORBOARD}/**/events.out.tfevents.*",
            names=names,
        ),
        Stream(format="samples", path=f"{layout.SAMPLES}/*.jsonl"),
        Stream(format="scores", path=f"{layout.SCORES}/*.jsonl"),
    ]
