"""From data to a better model with one command, through the ordinary commands of ``sf``.

``make demo``, or ``python scripts/demo/run.py``. Runs again at will: what is there is kept,
the training and its benchmark are done anew. ``STARFORGE_DEMO`` names another folder than
``.demo``; ``SF_LANG=zh`` speaks Chinese. Exits with 1 when the tuned model is not better by
more than twice the standard error.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from experiment import fast_dtype, make_experiment
from make_model import make_model
from make_tasks import make_tasks
from places import BENCHMARK, EXPERIMENT, HOME, LAB, MODEL, ROOT, share_runtimes
from shell import Steps, ask_sf, fail, run_sf, say
from table import pair, print_table

RUNTIMES = ("trl", "evalkit")
BASE_RECORD = ROOT / "base.json"


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
    make_experiment()
    make_tasks()
    run_sf("validate", EXPERIMENT)
    steps.next("How good is the base model?", "先评测原模型")
    base = base_job()
    steps.next("Fine-tune it with trl/sft", "用 trl/sft 微调")
    stamp = time.strftime("%m%d-%H%M%S")
    trained = f"{EXPERIMENT}-{stamp}"
    run_sf("submit", EXPERIMENT, "--name", trained, "--watch")
    steps.next("How good is it now?", "再评测微调后的模型")
    training = ask_sf("job", "show", trained)["id"]
    tuned = score(f"job:{training}", f"tuned-{stamp}")
    return report(steps, base, tuned)


def score(model: str, name: str) -> str:
    """Benchmark a model as a job called ``name``; return the job's id."""
    run_sf("bench", "run", model, "--benchmark", BENCHMARK, "--name", name, "--watch",
           "--set", "batch_size=25", "--set", f"model_dtype={fast_dtype()}")  # fmt: skip
    return str(ask_sf("job", "show", name)["id"])


def base_job() -> str:
    """Return the job that scored the base model; an earlier one serves as long as it's valid."""
    pack = LAB / "benchmarks" / BENCHMARK
    now = {"pack": (pack / "pack.yaml").read_text("utf-8"),
           "items": (pack / "test.jsonl").read_text("utf-8"), "dtype": fast_dtype()}  # fmt: skip
    try:
        known: dict[str, Any] = json.loads(BASE_RECORD.read_text("utf-8"))
    except (OSError, ValueError):
        known = {}
    on_board = {row["job"] for row in ask_sf("bench", "board", "--benchmark", BENCHMARK)}
    if known.get("of") == now and known.get("job") in on_board:
        say("    scored already by job {job}", "    任务 {job} 已经评测过", job=known["job"])
        return str(known["job"])
    job = score(str(MODEL), f"base-{time.strftime('%m%d-%H%M%S')}")
    BASE_RECORD.write_text(json.dumps({"job": job, "of": now}), "utf-8")
    return job


def report(steps: Steps, base: str, tuned: str) -> int:
    """Print the table, where to look, and how to stop; return the exit code."""
    comparisons = pair(ask_sf("bench", "board", "--benchmark", BENCHMARK), base, tuned)
    if not comparisons:
        fail("the board holds no comparable scores", "看板上没有可比较的得分")
    print()
    print_table(comparisons)
    first = comparisons[0]
    status = ask_sf("status")
    print()
    if first.better:
        say("better by {times:.1f} standard errors; {minutes:.1f} minutes in all",
            "提升为标准误的 {times:.1f} 倍；全程 {minutes:.1f} 分钟",
            times=first.difference / first.stderr if first.stderr else float("inf"),
            minutes=steps.seconds() / 60)  # fmt: skip
    else:
        say("NOT better by more than twice the standard error",
            "提升没有超过标准误的两倍")  # fmt: skip
    say("server: {url}   (sf status; the board: sf bench board)",
        "服务地址：{url}（sf status；看板：sf bench board）", url=status["url"])  # fmt: skip
    say("to use it from here: export STARFORGE_HOME={home}",
        "在此继续使用：export STARFORGE_HOME={home}", home=HOME)  # fmt: skip
    say("to stop it: STARFORGE_HOME={home} sf down",
        "停止服务：STARFORGE_HOME={home} sf down", home=HOME)  # fmt: skip
    return 0 if first.better else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        say("\nleft; jobs that were submitted go on (sf job ls)",
            "\n已离开；已提交的任务会继续运行（sf job ls）")  # fmt: skip
        sys.exit(130)
