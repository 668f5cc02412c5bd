"""The launch plan of ``then: [export]``: the model that a job left is loaded and used once.

The drivers of every framework turn their last checkpoint into a Hugging Face folder with the
framework's own converter when the training ends. This plan proves the folder where the next
user of it will be: in the same runtime, by a process of its own.
"""

from __future__ import annotations

from typing import Literal

from starforge import layout
from starforge.frameworks.planfiles import config_file, driver_files, library_files
from starforge.plan import (
    FollowUp,
    InputRef,
    LaunchPlan,
    Policies,
    Process,
    Resources,
    RuntimePin,
    Stream,
)
from starforge.runtimes import lock_digest

FALLBACK = "evalkit"  # for scripts of users, which have no runtime of ours
TIME_LIMIT = 1800.0  # seconds


def export_plan(parent: LaunchPlan, step: FollowUp, job_id: str) -> LaunchPlan:
    """Return the plan that checks what job ``job_id`` of plan ``parent`` exported."""
    device: Literal["cpu", "cuda"] = "cuda" if parent.resources.gpus else "cpu"
    runtime = parent.runtime or RuntimePin(
        name=FALLBACK, device=device, lock_digest=lock_digest(FALLBACK, device)
    )
    gpus = min(1, parent.resources.gpus)
    return LaunchPlan(
        method=step.method,
        framework=parent.framework,
        version=parent.version,
        recipe_digest=parent.recipe_digest,
        contract_digest=parent.contract_digest,
        runtime=runtime,
        processes=[_process(step, parent.resources.cpus)],
        files=[
            config_file({"form": step.form, "scores": step.scores}),
            *driver_files("_drivers", "export_check.py", "job_files.py", "tiny_model.py"),
            *library_files(),
        ],
        config={},
        differs=[],
        checkpoints=None,
        metrics=[Stream(format="samples", path=f"{layout.SAMPLES}/*.jsonl")],
        inputs=[InputRef(name="model", kind="job", location=job_id)],
        resources=Resources(
            cpus=parent.resources.cpus, gpus=gpus, profile=parent.resources.profile
        ),
        policies=Policies(time_limit=TIME_LIMIT),
    )


def _process(step: FollowUp, cpus: int) -> Process:
    argv = ["${PYTHON}", "${RECORD}/driver/export_check.py", "--model", "${MODEL}",
            "--form", step.form]  # fmt: skip
    if step.scores:
        argv.append("--scores")
    env = {
        "PYTHONPATH": "${LIB}",
        "PYTHONUNBUFFERED": "1",
        "OMP_NUM_THREADS": str(max(1, cpus)),
        "TOKENIZERS_PARALLELISM": "false",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }
    return Process(role="exporter", argv=argv, env=env)
