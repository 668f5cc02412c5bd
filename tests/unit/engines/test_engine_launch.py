"""launch.json: placeholders, ranks, environment."""

import json
from pathlib import Path

import msgspec

from starforge.engines.base import Launch
from starforge.engines.launch import fill, launch_document, places_of, write_launch
from starforge.engines.local.environ import job_environ
from starforge.plan import PLACEHOLDERS, LaunchPlan, Policies, Process, Resources


def launch(tmp_path: Path, **more) -> Launch:
    plan = LaunchPlan(
        method="m", framework="f", version="1", recipe_digest="", contract_digest="",
        runtime=None, files=[], config={}, differs=[], checkpoints=None, metrics=[], inputs=[],
        resources=Resources(), policies=Policies(nan_metrics=["loss"]),
        processes=[
            Process(
                role="trainer", count=2, argv=["${PYTHON}", "x.py", "${MODEL}", "${HOME}"],
                env={"OUT": "${OUTPUT}/a", "CUDA_VISIBLE_DEVICES": "7"}, cwd="${CODE}",
            ),
            Process(role="helper", argv=["true"]),
        ],
    )  # fmt: skip
    known = {
        "job_id": "j1", "attempt": 3, "job_dir": tmp_path, "plan": plan, "python": "/venv/python",
        "models": {"model": "/models/m"}, "resume": False, "server_url": "http://h:1",
        "job_token": "secret",
    }  # fmt: skip
    return Launch(**{**known, **more})


def test_every_placeholder_of_plans_stands_for_something(tmp_path):
    models = {"model": "/m", "teacher": "/t", "reward": "/r"}
    assert set(places_of(launch(tmp_path, models=models))) == set(PLACEHOLDERS)


def test_placeholders_and_ranks(tmp_path):
    document = launch_document(launch(tmp_path), ship_timeout=5, server_file=tmp_path / "s.json")
    first, second, helper = document["processes"]
    assert first["argv"] == ["/venv/python", "x.py", "/models/m", "${HOME}"]  # shells fill the last
    assert (first["rank"], second["rank"], helper["rank"]) == (0, 1, 0)
    assert first["cwd"] == str(tmp_path / "code")
    assert helper["cwd"] == str(tmp_path / "attempt-3")
    env = second["env"]
    assert env["OUT"] == f"{tmp_path}/output/a"
    assert env["STARFORGE_TAG"] == "j1/3" and env["STARFORGE_RANK"] == "1"
    assert env["CUDA_VISIBLE_DEVICES"] == "7"  # the plan's own word is the last
    assert helper["env"]["CUDA_VISIBLE_DEVICES"] == ""  # no GPU was given
    assert "STARFORGE_RESUME" not in env
    assert document["policies"]["nan_metrics"] == ["loss"]
    assert {stream["format"] for stream in document["streams"]} >= {"log", "report", "samples"}
    assert (document["ship_timeout"], document["server_file"]) == (5, str(tmp_path / "s.json"))


def test_the_budget_is_what_earlier_attempts_left(tmp_path):
    policies = Policies(budget=100.0)
    plan = msgspec.structs.replace(launch(tmp_path).plan, policies=policies)
    for spent, left in ((0.0, 100.0), (30.0, 70.0), (100.0, 1.0)):
        given = launch(tmp_path, plan=plan, spent=spent)
        assert launch_document(given, ship_timeout=5)["policies"]["budget"] == left


def test_devices_language_and_resume(tmp_path):
    given = launch(tmp_path, gpus=[1, 3], lang="zh", resume=True)
    env = launch_document(given, ship_timeout=5)["processes"][2]["env"]
    assert env["CUDA_VISIBLE_DEVICES"] == "1,3"
    assert (env["SF_LANG"], env["STARFORGE_RESUME"]) == ("zh", "1")


def test_the_file_is_private_and_can_be_read_back(tmp_path):
    document = launch_document(launch(tmp_path), ship_timeout=5)
    write_launch(tmp_path / "launch.json", document)
    assert (tmp_path / "launch.json").stat().st_mode & 0o777 == 0o600
    assert json.loads((tmp_path / "launch.json").read_text()) == msgspec.to_builtins(document)
    assert [one.name for one in tmp_path.iterdir()] == ["launch.json"]


def test_unknown_placeholders_stay():
    assert fill("${A} ${JOB} $JOB ${job}", {"JOB": "x"}) == "${A} x $JOB ${job}"


def test_jobs_inherit_settings_but_no_secrets():
    given = {
        "PATH": "/bin", "HF_HOME": "/hf", "LC_ALL": "C", "https_proxy": "p", "HOME": "/h",
        "STARFORGE_TOKEN": "t", "STARFORGE_HOME": "/s", "AWS_SECRET_ACCESS_KEY": "k",
        "PYTHONPATH": "/mine",
    }  # fmt: skip
    assert job_environ(given) == {
        "PATH": "/bin", "HF_HOME": "/hf", "LC_ALL": "C", "https_proxy": "p", "HOME": "/h",
    }  # fmt: skip
    assert job_environ({})["PATH"]
