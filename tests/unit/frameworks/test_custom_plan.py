"""custom/custom: its plan, and the user's script really run."""

import json
import sys

import pytest
from job_support import Job

from starforge import layout
from starforge.frameworks import get

SCRIPT = """
import json, os, sys
from starforge import report
config = json.load(open(os.environ["STARFORGE_CONFIG"]))
report.init(total_steps=2)
report.log({"loss": config["learning_rate"]}, step=1)
report.log_artifact(os.environ["STARFORGE_OUTPUT_DIR"], kind="file", name="out")
report.finish()
print(sys.argv[1:], os.environ["STARFORGE_DATA_TRAIN"].rsplit("/", 1)[1], sys.executable)
"""


@pytest.fixture
def custom(make_context):
    def make(script: str, name: str = "train.sh", **keys):
        return make_context(
            method="custom/custom", model=None, files={name: script}, **keys
        )  # fmt: skip

    return make


def plan_of(context):
    framework = get("custom")
    assert framework.checks(context) == []
    return framework.plan(context)


def test_plan(custom):
    context = custom("true", params={"args": ["--fast", "3"], "total_steps": 9}, train=[{"x": 1}],
                     config={"lr": 1.0, "net": {"depth": 2}})  # fmt: skip
    plan = plan_of(context)
    (process,) = plan.processes
    assert process.argv == ["bash", "${RECORD}/driver/run_script.sh", "train.sh", "--fast", "3"]
    assert process.cwd == "${CODE}"
    assert process.env["STARFORGE_DATA_TRAIN"] == "${DATA}/train.jsonl"
    assert "STARFORGE_MODEL" not in process.env
    assert plan.runtime is None
    assert plan.total_steps == 9
    assert plan.policies.nan_metrics == ["loss", "train/loss"]
    files = {file.path: file for file in plan.files}
    assert json.loads(files["record/config.json"].content) == {"lr": 1.0, "net": {"depth": 2}}
    assert files["code/train.sh"].content is None
    assert plan.digest() == plan_of(context).digest()


def test_a_missing_script_is_a_finding(custom):
    context = custom("true", params={"script": "trian.sh"})
    (found,) = get("custom").checks(context)
    assert found.code == "custom/script-missing"
    assert found.at.line == 1
    assert get("custom").checks(custom("true", params={"script": "./train.sh"})) == []


@pytest.mark.parametrize("name", ["train.sh", "train.py"])
def test_the_script_runs_with_the_chosen_interpreter(custom, tmp_path, name):
    shell = f"set -e\ncat > run.py <<'EOF'\n{SCRIPT}\nEOF\nexec python run.py \"$@\""
    context = custom(
        SCRIPT if name == "train.py" else shell, name,
        train=[{"x": 1}], config={"learning_rate": 0.5},
        params={"python": sys.executable, "script": name, "args": ["a b"]},
    )  # fmt: skip
    job = Job(tmp_path / "job", plan_of(context), context)
    done = job.run()
    assert done.returncode == 0, done.stdout
    assert "['a b'] train.jsonl" in done.stdout
    # The interpreter itself, not a link: a virtual environment must stay one.
    assert sys.executable in done.stdout
    rows = [row for file in (job.attempt() / layout.METRICS).glob("*.jsonl")
            for row in job.rows(f"{layout.METRICS}/{file.name}")]  # fmt: skip
    assert [(row["s"], row["v"]["loss"]) for row in rows] == [(1, 0.5)]
    assert job.rows(layout.ARTIFACTS)[0]["name"] == "out"


def test_exit_code_is_the_scripts_own(custom, tmp_path):
    context = custom("echo before; exit 7")
    job = Job(tmp_path / "job", plan_of(context), context)
    done = job.run()
    assert (done.returncode, done.stdout) == (7, "before\n")


def test_wrong_interpreter_and_missing_script_are_one_line(custom, tmp_path):
    context = custom("true", params={"python": "/nowhere/python"})
    job = Job(tmp_path / "job", plan_of(context), context)
    done = job.run()
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1].startswith("error: the interpreter /nowhere/python")
    (job.folder / "code" / "train.sh").unlink()
    done = job.run(STARFORGE_PYTHON="python3", SF_LANG="zh")
    assert done.stdout == "错误：脚本 train.sh 不存在\n"


def test_the_scaffold_learns_and_resumes(tmp_path):
    from starforge.catalog.load import load_catalog
    from starforge.lab.lab import Lab
    from starforge.lab.scaffold import init_lab, new_experiment
    from starforge.prepare import prepare

    init_lab(tmp_path / "lab")
    catalog = load_catalog()
    recipe = catalog.recipe("custom/custom")
    folder = new_experiment(Lab(tmp_path / "lab"), "mine", recipe, catalog, lang="zh")
    prepared = prepare(folder)
    assert prepared.findings == []
    job = Job(tmp_path / "job", prepared.plan, prepared.context)
    done = job.run(python=sys.executable)
    assert done.returncode == 0, done.stdout
    (file,) = (job.attempt() / layout.METRICS).glob("*.jsonl")
    losses = [row["v"]["loss"] for row in job.rows(f"metrics/{file.name}")]
    assert len(losses) == 60
    assert losses[-1] < 0.1 * losses[0]
    again = job.run(python=sys.executable, attempt=1, resume=True)
    assert "60" in again.stdout
    assert json.loads((job.folder / "output" / "line.json").read_text())["step"] == 60
