"""Names of files in a job's folder: the protocol between server, runner and job.

Standard library only; imported by the runner and by `starforge.report` in foreign
environments. See ``docs/architecture.md`` for the picture.
"""

from __future__ import annotations

from pathlib import Path

# jobs/<id>/
RECORD = "record"  # plan.json, experiment files, recipe.lock.json: never changes
CODE = "code"  # the experiment's own files as submitted
DATA = "data"  # train.jsonl, validation.jsonl ...
LIB = "lib"  # for PYTHONPATH: starforge/report.py and what it needs
OUTPUT = "output"  # checkpoints/, model/

# jobs/<id>/attempt-<n>/
LOGS = "logs"  # <role>-<rank>.log
METRICS = "metrics"  # *.jsonl in the report format
TENSORBOARD = "tensorboard"
SAMPLES = "samples"  # *.jsonl
SCORES = "scores"  # *.jsonl of benchmark results
ALERTS = "alerts.jsonl"  # written by the runner: what a person should look at
LAUNCH = "launch.json"  # written by the engine: what the runner starts
STATUS = "status.json"  # written by the runner: how the attempt is doing, and how it ended
PROGRESS = "progress.json"  # written by the job: {"step", "total", "time"}
FAILURE = "failure.txt"  # written by the job: why it gave up, one line, when that says it all
ARTIFACTS = "artifacts.jsonl"  # written by the job: what it declares as outputs
RUNNER_LOCK = "runner.lock"  # held (flock) by the live runner
RUNNER_LOG = "runner.log"
STACKS = "stacks"  # <pid>.txt of processes that can be asked for their stacks
PROCESSES = "processes.json"  # written by the runner: pids it started
FOLDERS = "folders.txt"  # written by the job: folders elsewhere that go when it ends, one a line
FOLDER_PREFIX = "sf-"  # their names begin with it, or have it after a hyphen

RUN = "run.json"  # written by starforge.report: name, config, total steps of the run

# What `from starforge import report` needs in any Python: copied to lib/starforge
LIB_FILES = (
    "lang.py",
    "layout.py",
    "report.py",
    "report_shell.py",
    "report_writer.py",
    "stacks.py",
)
LIB_FOLDERS = ("rewards",)  # packages that are copied whole beside them

# What is shipped of every attempt besides the streams of its plan: (format, glob)
STREAMS: tuple[tuple[str, str], ...] = (
    ("log", f"{LOGS}/*.log"),
    ("tensorboard", f"{TENSORBOARD}/**/events.out.tfevents.*"),
    ("report", f"{METRICS}/*.jsonl"),
    ("samples", f"{SAMPLES}/*.jsonl"),
    ("scores", f"{SCORES}/*.jsonl"),
    ("alerts", ALERTS),
)

# Environment variables of every process of a job
ENV_JOB = "STARFORGE_JOB"  # <job id>
ENV_TAG = "STARFORGE_TAG"  # <job id>/<attempt>: marks processes so that none is left behind
ENV_ATTEMPT_DIR = "STARFORGE_ATTEMPT_DIR"
ENV_OUTPUT_DIR = "STARFORGE_OUTPUT_DIR"
ENV_RESUME = "STARFORGE_RESUME"  # "1": continue from the last checkpoint
ENV_ROLE = "STARFORGE_ROLE"
ENV_RANK = "STARFORGE_RANK"
ENV_CONFIG = "STARFORGE_CONFIG"  # path of the resolved config (JSON)


def library_sources() -> dict[str, str]:
    """Return the files of a job's ``lib/starforge`` by name, all but its empty ``__init__.py``."""
    here = Path(__file__).parent
    inside = [path for folder in LIB_FOLDERS for path in sorted((here / folder).glob("*.py"))]
    files = [*(here / name for name in LIB_FILES), *inside]
    return {path.relative_to(here).as_posix(): path.read_text("utf-8") for path in files}


def attempt_dir(job_dir: Path, number: int) -> Path:
    """Return the folder of attempt ``number`` (0-based)."""
    return job_dir / f"attempt-{number}"
