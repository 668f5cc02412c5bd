"""From data to a better model with one command, through the ordinary commands of ``sf``.

``make demo``, or ``python scripts/demo/run.py``. A pipeline scores the base model, fine-tunes
it on worked examples, lets it practise with a reward, and scores it after each. Runs again at
will: what is there is kept, and stages that are the same are not run again.
``STARFORGE_DEMO`` names another folder than ``.demo``; ``SF_LANG=zh`` speaks Chinese. Exits
with 1 when the model is not better in the end by more than twice the standard error.
"""

from __future__ import annotations

import sys
from typing import Any

from experiment import make_experiments, make_pipeline
from make_model import make_model
from make_tasks import make_tasks
from places import BENCHMARK, HOME, LAB, PIPELINE, PRACTISE, ROOT, share_runtimes
from shell import Steps, ask_sf, fail, run_sf, say
from table import Score, print_table, scores

from starforge.lang import t

RUNTIMES = ("trl", "evalkit")
SCORED = ("base", "after-sft", "after-grpo")


def main() -> int:
    """Run the demo."""
    steps = Steps(7)
    steps.next("Runtimes: pinned environments for training and benchmarks",
               "运行环境：训练与评测各用一套锁定版本的环境")  # fmt: skip
    ROOT.mkdir(parents=True, exist_ok=True)
    share_runtimes()
    for name in RUNTIMES:
        run_sf("runtime", "install", name, "--device", "cpu", cwd=ROOT)
    steps.next("A lab and the embedded server", "建立 lab，启动内置服务")
    if not (LAB / "starforge.yaml").exists():
        run_sf("init", str(LAB), cwd=ROOT)
    run_sf("up")
    steps.next("A base model: SmolLM2-135M-Instruct", "基座模型：SmolLM2-135M-Instruct")
    make_model()
    steps.next("A task with checkable answers, made by reasoning-gym",
               "用 reasoning-gym 生成答案可核对的任务")  # fmt: skip
    make_experiments()
    make_tasks()
    steps.next("One reward function for every framework, tried on real rows",
               "各框架通用的一个奖励函数，先在真实数据上试算")  # fmt: skip
    run_sf("reward", "try", PRACTISE, "-n", "2")
    steps.next("A pipeline: learn (trl/sft), practise (trl/grpo), score before and after each",
               "一条流水线：学习（trl/sft）、练习（trl/grpo），每步前后都评测")  # fmt: skip
    make_pipeline()
    run_sf("pipeline", "run", PIPELINE, "--watch")
    steps.next("What did it bring?", "效果如何？")
    return report(steps)


def stage_jobs() -> dict[str, str]:
    """Return the jobs of the newest run of the pipeline by stage."""
    shown: dict[str, Any] = ask_sf("pipeline", "show", PIPELINE)
    return {stage["name"]: str(stage["job_id"]) for stage in shown["stages"]}


def report(steps: Steps) -> int:
    """Print the comparison, the table, where to look and how to stop; return the exit code."""
    jobs = [stage_jobs()[name] for name in SCORED]
    run_sf("bench", "compare", jobs[1], jobs[2])
    found = scores(ask_sf("bench", "board", "--benchmark", BENCHMARK), jobs)
    if not found:
        fail("the board holds no comparable scores", "看板上没有可比较的得分")
    names = [t("base", "基座模型"), t("after SFT", "SFT 后"), t("after GRPO", "GRPO 后")]
    print()
    print_table(found, names, f"{BENCHMARK} exact_match")
    _say_the_end(steps, found)
    return 0 if found[-1].better_than(found[0]) else 1


def _say_the_end(steps: Steps, found: list[Score]) -> None:
    status = ask_sf("status")
    difference, stderr = found[-1].above(found[0])
    print()
    if found[-1].better_than(found[0]):
        say("better by {times:.1f} standard errors on {items} sums; {minutes:.1f} minutes in all",
            "在 {items} 道题上，提升为标准误的 {times:.1f} 倍；全程 {minutes:.1f} 分钟",
            times=difference / stderr if stderr else float("inf"), items=found[0].items,
            minutes=steps.seconds() / 60)  # fmt: skip
    else:
        say("NOT better by more than twice the standard error",
            "提升没有超过标准误的两倍")  # fmt: skip
    say("server: {url}   (the board: sf bench board; in the browser: sf open)",
        "服务地址：{url}（看板：sf bench board；浏览器：sf open）", url=status["url"])  # fmt: skip
    say("to use it from here: export STARFORGE_HOME={home}",
        "在此继续使用：export STARFORGE_HOME={home}", home=HOME)  # fmt: skip
    say("to stop it: STARFORGE_HOME={home} sf down",
        "停止服务：STARFORGE_HOME={home} sf down", home=HOME)  # fmt: skip


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("\nleft; the pipeline goes on (sf pipeline show {name})",
            "\n已离开；流水线会继续运行（sf pipeline show {name}）", name=PIPELINE)  # fmt: skip
        sys.exit(130)
