"""The resolved configuration of jobs: who decided each key, where, and why; and differences."""

import json

import pytest
from click.testing import CliRunner

from starforge.cli import job_config as command
from starforge.server.services.submit import submit
from starforge.wire.jobs import SubmitRequest

API = "/api/v1"
FILES = {"train.sh": {"text": "echo 1\n"}}
TRL = {"method": "trl/sft", "config": "# mine\n\ntf32: false\nlogging_steps: 9\n",
       "params": {"learning_rate": 3e-5, "epochs": 1}}  # fmt: skip


@pytest.fixture
def with_runtimes(monkeypatch):
    """Take any method's runtime as installed: jobs are only kept here, never started."""
    monkeypatch.setattr("starforge.server.services.runtimes.interpreter", lambda *_: "python")
    monkeypatch.setattr("starforge.server.services.runtimes.require_follow_ups", lambda *_: None)


@pytest.fixture
def kept(user, core):
    """Submit an experiment made from a form and return its job's id."""

    def keep(sets=(), profile=None, **form):
        made = user.post(
            f"{API}/experiments", json={"name": "mine", "method": "custom/custom", **form}
        ).json()
        body = {**made["request"], "sets": list(sets), "profile": profile, "name": form.get("name")}
        return submit(core, SubmitRequest(**body), "en")[0]

    return keep


def asked(user, job, **query):
    answer = user.get(f"{API}/jobs/{job}/config", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


def by_path(found):
    return {one["path"]: one for one in found["keys"]}


@pytest.mark.usefixtures("with_runtimes")
def test_every_key_says_who_decided_it_and_where(user, kept):
    job = kept(sets=["seed=5"], **TRL)
    found = asked(user, job)
    keys = by_path(found)
    assert found["exact"] and found["pin"].startswith("trl@") and len(keys) > 100
    rate = keys["learning_rate"]
    assert (rate["value"], rate["source"], rate["file"]) == (
        3e-5, "experiment.yaml", "experiment.yaml",
    )  # fmt: skip
    assert rate["differs"] and rate["line"] > 1 and rate["default"] != rate["value"]
    epochs = keys["num_train_epochs"]
    assert (epochs["name"], epochs["source"]) == ("epochs", "experiment.yaml")
    logging = keys["logging_steps"]
    assert (logging["source"], logging["file"], logging["line"]) == ("config.yaml",) * 2 + (4,)
    assert (keys["seed"]["value"], keys["seed"]["source"], keys["seed"]["line"]) == (
        5,
        "--set",
        None,
    )
    pins = [one for one in found["keys"] if one["source"] == "pin"]
    assert pins and all(one["reason"] for one in pins)
    plain = [one for one in found["keys"] if one["source"] == "upstream"]
    assert plain and all(not one["differs"] and one["file"] is None for one in plain)


@pytest.mark.usefixtures("with_runtimes")
def test_it_is_the_config_of_the_plan_and_marks_what_the_plan_marks(user, kept):
    job = kept(**TRL)
    plan = user.get(f"{API}/jobs/{job}/plan").json()
    keys = by_path(asked(user, job))
    assert {path for path, one in keys.items() if one["differs"]} == {
        one["path"] for one in plan["differs"]
    }
    for one in plan["differs"]:
        shown = keys[one["path"]]
        assert (shown["value"], shown["default"], shown["source"]) == (
            one["value"], one["default"], one["source"],
        )  # fmt: skip


@pytest.mark.usefixtures("with_runtimes")
def test_another_recipe_leaves_what_the_plan_knows(user, kept, core, monkeypatch):
    job = kept(**TRL)
    before = by_path(asked(user, job))
    monkeypatch.setattr(core.catalog, "contract_digest", lambda _: "another")
    found = asked(user, job)
    after = by_path(found)
    assert not found["exact"]
    rate = after["learning_rate"]
    assert (rate["default"], rate["source"]) == (
        before["learning_rate"]["default"],
        "experiment.yaml",
    )
    assert rate["line"] is None
    assert not any(one["default"] for one in found["keys"] if not one["differs"])


def test_two_jobs_differ_in_what_differs(user, kept):
    first = kept(files=FILES, config="a: {b: 1, c: [1]}\n", data={})
    second = kept(
        files={"train.sh": {"text": "echo 2\n"}}, config="a: {b: 2, c: [1]}\nd: x\n", data={},
        sets=["total_steps=7"], profile="cpu:2", policies={"time_limit": "1h"},
    )  # fmt: skip
    found = asked(user, second, against=first)["against"]
    assert found["job"] == first
    seen = {(one["part"], one["key"]): one for one in found["differences"]}
    assert seen.keys() == {
        ("config", "a"), ("config", "d"), ("config", "total_steps"), ("file", "code/train.sh"),
        ("policy", "time_limit"), ("resources", "cpus"), ("resources", "profile"),
    }  # fmt: skip
    changed = seen["config", "a"]
    assert (changed["value"], changed["other"], changed["only"]) == (
        {"b": 2, "c": [1]}, {"b": 1, "c": [1]}, None,
    )  # fmt: skip
    assert seen["config", "d"]["only"] == "here"
    assert asked(user, first, against=second)["against"]["differences"][1]["only"] == "there"
    assert asked(user, first, against=first)["against"]["differences"] == []


@pytest.mark.usefixtures("with_runtimes")
def test_other_methods_are_compared_by_published_names(user, kept):
    rows = {"params": {"learning_rate": 2e-5}}
    one, other = kept(method="trl/sft", **rows), kept(method="trl/dpo", **rows)
    found = asked(user, one, against=other)["against"]["differences"]
    parts = {each["part"] for each in found}
    assert {"method", "parameter", "input"} <= parts and "config" not in parts
    assert "learning_rate" not in {each["key"] for each in found}


@pytest.mark.usefixtures("with_runtimes")
def test_the_job_that_gave_the_model_is_the_parent(user, kept, add_job, make_plan):
    from starforge.plan import InputRef

    first = add_job()
    model = InputRef(name="model", kind="job", location=f"{first.id}@best")
    assert asked(user, add_job(make_plan(inputs=[model])).id)["parent"] == first.id
    assert asked(user, add_job(parent=first.id).id)["parent"] == first.id
    clone = add_job(parent=add_job().id, experiment={"cloned_from": first.id})
    assert asked(user, clone.id)["parent"] == first.id
    assert asked(user, add_job(experiment={"cloned_from": "gone"}).id)["parent"] is None
    assert asked(user, first.id)["parent"] is None


def test_unknown_jobs(user, add_job, anybody):
    job = add_job().id
    assert user.get(f"{API}/jobs/nothing/config").status_code == 404
    assert user.get(f"{API}/jobs/{job}/config", params={"against": "nothing"}).status_code == 404
    assert anybody.get(f"{API}/jobs/{job}/config").status_code == 401


@pytest.fixture
def shown(user, monkeypatch):
    """Run ``sf job config`` against the application of this test."""

    def get(_target, path, given):
        given = {key: value for key, value in given.items() if value is not None}
        return user.get(API + path, params=given).json()

    monkeypatch.setattr("starforge.client.embedded.reach", lambda **_: None)
    monkeypatch.setattr("starforge.client.light.get_json", get)
    monkeypatch.setenv("SF_LANG", "en")
    return lambda *words: CliRunner().invoke(command.config, list(words), env={"COLUMNS": "200"})


@pytest.mark.usefixtures("with_runtimes")
def test_the_command_shows_what_differs(shown, kept):
    job = kept(sets=["seed=5"], **TRL)
    out = shown(job).stdout
    assert "num_train_epochs (epochs)" in out and "--set" in out
    assert "config.yaml:4" in out and "tf32" not in out.split("logging_steps")[0]
    whole = shown(job, "--all").stdout
    assert len(whole.splitlines()) > 2 * len(out.splitlines())
    found = json.loads(shown(job, "--json").stdout)
    assert found["job"] == job and len(found["keys"]) > 100
    other = kept(sets=["seed=6"], **TRL)
    lines = shown(other, "--against", job).stdout.splitlines()
    assert len(lines) == 2 and lines[1].split() == ["config", "seed", "6", "5"]
    assert "ran with the same" in shown(job, "--against", job).stdout
