"""Experiments made from a form, and those of jobs: prepared, submitted, cloned, downloaded."""

import hashlib
import io
import json
import stat
import subprocess
import zipfile
from pathlib import Path

import pytest

from starforge.lab.scaffold import init_lab
from starforge.prepare import prepare

API = "/api/v1"
ROWS = b'{"question": "1+1?", "completion": "2"}\n{"question": "2+2?", "completion": "4"}\n'
CSV = "question,completion\n1+1?,2\n\u4f60\u597d,4\n".encode()


def upload(user, content):
    digest = hashlib.sha256(content).hexdigest()
    assert user.put(f"{API}/blobs/{digest}", content=content).is_success
    return digest


def make(user, **form):
    answer = user.post(f"{API}/experiments", json={"name": "mine", "method": "trl/sft", **form})
    assert answer.status_code == 201, answer.text
    return answer.json()


def texts(made):
    return {one["name"]: one["text"] for one in made["files"]}


def planned(user, made):
    answer = user.post(f"{API}/plan", json=made["request"]).json()
    assert answer["ok"], answer["findings"]
    return answer


def submitted(user, made, **more):
    body = {**made["request"], "name": "a job", **more}
    answer = user.post(f"{API}/jobs", json=body)
    assert answer.status_code == 201, answer.text
    return answer.json()


def unpacked(answer, folder):
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        archive.extractall(folder)
        for info in archive.infolist():
            (folder / info.filename).chmod(stat.S_IMODE(info.external_attr >> 16))
    (root,) = folder.iterdir()
    return root


CUSTOM = {"method": "custom/custom", "data": {}}


def test_nothing_but_a_method_is_what_sf_new_makes(user):
    made = make(user)
    assert {"experiment.yaml", "config.yaml", "recipe.lock.json", "README.md"} <= texts(made).keys()
    assert "data/train.jsonl" not in texts(made)  # rows travel on their own
    assert made["values"]["model"] == "starforge:tiny"
    plan = planned(user, made)["plan"]
    assert plan["method"] == "trl/sft"
    assert [one["name"] for one in plan["inputs"]] == ["model", "data.train"]
    assert made["commands"] == "sf new mine --method trl/sft\nsf submit mine --watch\n"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_published_method_makes_an_experiment_without_errors(user, language):
    headers = {"Accept-Language": language}
    for method in user.get(f"{API}/methods").json():
        form = {"name": "mine", "method": method["name"]}
        made = user.post(f"{API}/experiments", json=form, headers=headers).json()
        found = user.post(f"{API}/validate", json=made["request"], headers=headers).json()
        assert found["ok"], (method["name"], found["findings"])


def test_everything_a_form_says_is_in_the_plan(user):
    data = upload(user, CSV)
    made = make(
        user,
        model="org/model",
        data={"train": {"digest": data, "file": "qa.csv"},
              "validation": {"digest": upload(user, ROWS), "file": "check.jsonl"}},
        map={"question": "prompt"},
        params={"learning_rate": 2e-5, "epochs": 3},
        config="logging_steps: 7\n",
        resources="cpu:2",
        policies={"time_limit": "2h"},
        then=["export"],
        description="mine: \"quoted\" # and more\nover lines",
        tags=["a b", "no", "中文"],
        priority=5,
    )  # fmt: skip
    plan = planned(user, made)["plan"]
    rows = {one["name"]: one for one in plan["inputs"]}
    assert rows["data.train"]["columns"] == {"question": "prompt"}
    assert rows["data.train"]["rows"] == 2
    model = rows["model"]
    assert (model["kind"], model["location"]) == ("hub", "org/model")
    assert plan["parameters"]["learning_rate"] == 2e-5
    assert plan["config"]["logging_steps"] == 7
    assert plan["resources"] == {"cpus": 2, "gpus": 0, "profile": "cpu:2"}
    assert plan["policies"]["time_limit"] == 7200
    assert [one["kind"] for one in plan["then"]] == ["export"]
    values = made["values"]
    assert values["tags"] == ["a b", "no", "中文"]
    assert values["description"] == 'mine: "quoted" # and more\nover lines'
    assert values["params"] == {"learning_rate": 2e-5, "epochs": 3}
    assert values["config"] == "logging_steps: 7\n"
    again = make(user, **{key: value for key, value in values.items() if key != "name"})
    assert again["request"]["bundle"] == made["request"]["bundle"]


def test_a_wrong_value_is_found_where_it_stands(user):
    made = make(user, params={"learning_rate": "fast", "lerning_rate": 1})
    found = user.post(f"{API}/validate", json=made["request"]).json()["findings"]
    keys = {one["key"]: one for one in found if one["severity"] == "error"}
    assert {"params.learning_rate", "params.lerning_rate"} <= keys.keys()
    assert all(one["file"] == "experiment.yaml" and one["line"] for one in keys.values())


def test_text_as_written_replaces_what_the_fields_say(user):
    text = "method: trl/sft\nmodel: [\n"
    made = make(user, files={"experiment.yaml": {"text": text}})
    assert texts(made)["experiment.yaml"] == text
    found = user.post(f"{API}/validate", json=made["request"]).json()
    assert not found["ok"] and found["findings"][0]["file"] == "experiment.yaml"


def test_own_files_are_put_replaced_and_left_out(user):
    digest = upload(user, b"\x00\x01binary")
    made = make(
        user, **CUSTOM,
        files={"train.sh": {"text": "echo 你好\n"}, "lib/x.bin": {"digest": digest},
               "train.py": None, "tool": {"text": "x", "executable": True}},
    )  # fmt: skip
    files = {one["name"]: one for one in made["files"]}
    assert files["train.sh"]["executable"] and files["train.sh"]["text"] == "echo 你好\n"
    assert files["lib/x.bin"]["text"] is None and files["lib/x.bin"]["sha256"] == digest
    assert files["tool"]["executable"] and "train.py" not in files


@pytest.mark.parametrize(
    "name",
    ["../x", "/etc/passwd", "a/../../x", "", "a\\b", "recipe.lock.json", "x\n", "train.sh/x"],
)
def test_hostile_file_names_are_refused(user, name):
    form = {"name": "mine", **CUSTOM, "files": {name: {"text": "x"}}}
    answer = user.post(f"{API}/experiments", json=form)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "experiment/file")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"name": "../x"}, 400),
        ({"method": "trl/none"}, 404),
        ({"data": {"train": {}}}, 422),
        ({"data": {"train": {"digest": "0" * 64}}}, 404),
        ({"data": {"other": {"digest": "0" * 64}}}, 400),
        ({"base": "nothing"}, 404),
        ({"nonsense": 1}, 400),
    ],
)
def test_forms_that_make_no_experiment(user, change, status):
    answer = user.post(f"{API}/experiments", json={"name": "mine", "method": "trl/sft", **change})
    assert answer.status_code == status, answer.text
    assert answer.json()["error"]["message"]


def test_a_file_that_holds_no_rows_is_named_as_the_person_named_it(user):
    digest = upload(user, b"{nothing\n")
    form = {
        "name": "m",
        "method": "trl/sft",
        "data": {"train": {"digest": digest, "file": "a.json"}},
    }
    error = user.post(f"{API}/experiments", json=form).json()["error"]
    assert error["message"].startswith("a.json can't be read")
    assert "/tmp" not in json.dumps(error)


def test_hostile_texts_stay_texts(user):
    hostile = ["{{7*7}}", "a: b\nmethod: x", "- x", "<script>", "null", "${JOB}", "'\"\\", "\u2028"]
    made = make(user, **CUSTOM, tags=hostile, description="\n".join(hostile))
    for one in hostile:
        again = make(user, **CUSTOM, resources=one, map={one: one}, params={one: one})
        found = user.post(f"{API}/validate", json=again["request"]).json()
        assert found["method"] == "custom/custom" and again["values"]["resources"] == one
    assert made["values"]["tags"] == hostile
    assert made["values"]["method"] == "custom/custom"
    assert planned(user, made)["plan"]["method"] == "custom/custom"


def test_a_job_gives_its_experiment_back(user):
    made = make(user, **CUSTOM, params={}, tags=["t"], files={"train.sh": {"text": "echo 1\n"}})
    plan = planned(user, made)
    job = submitted(user, made, plan_digest=plan["plan_digest"])
    shown = user.get(f"{API}/jobs/{job['id']}/experiment").json()
    assert shown["request"]["bundle"] == made["request"]["bundle"]
    assert texts(shown) == texts(made)
    assert planned(user, shown)["plan_digest"] == plan["plan_digest"]
    assert (shown["name"], shown["values"]["base"]) == ("a-job", job["id"])
    assert shown["commands"] == f"sf job experiment {job['id']}\nsf submit a-job --watch\n"
    clone = make(user, name="clone", method="custom/custom", base=job["id"], tags=["u"])
    assert texts(clone)["train.sh"] == "echo 1\n"
    assert clone["values"]["tags"] == ["u"]
    submitted(user, clone)


def test_a_clone_keeps_data_and_writes_down_what_set_changed(user):
    made = make(user, data={"train": {"digest": upload(user, ROWS), "file": "qa.jsonl"}},
                map={"question": "prompt"}, config="# mine\nlogging_steps: 7\n")  # fmt: skip
    request = made["request"]
    request["sets"] = ["learning_rate=3e-5", "logging_steps=9", "seed=4", "save_steps=11"]
    request["profile"] = "cpu:2"
    before = planned(user, made)["plan"]
    # TRL's runtime need not be here: the job is only kept.
    job = kept_job(user, before, request)
    shown = user.get(f"{API}/jobs/{job.id}/experiment").json()
    values = shown["values"]
    assert values["data"]["train"]["digest"] == before["inputs"][1]["digest"]
    assert values["resources"] == "cpu:2" and values["sets"] == []
    clone = make(user, name="clone", base=job.id)
    after = planned(user, clone)["plan"]
    assert after["config"] == before["config"]
    assert after["parameters"] == before["parameters"]
    assert after["resources"] == before["resources"]
    assert after["inputs"] == before["inputs"]


def kept_job(user, plan, request):
    import msgspec

    from starforge.plan import LaunchPlan
    from starforge.server.store import attempts, jobs
    from starforge.server.store.records import NewJob

    core = user.app.state.core
    made = msgspec.convert(plan, LaunchPlan)
    with core.db.write() as tx:
        job, _ = jobs.create(
            tx,
            NewJob(name="job", plan=made, plan_digest=made.digest(), bundle=request["bundle"],
                   experiment={"sets": request["sets"]}, token_hash=""),
        )  # fmt: skip
        attempts.create(tx, job.id, resume=False)
    return job


def test_a_job_without_an_experiment_says_so(user, add_job):
    answer = user.get(f"{API}/jobs/{add_job().id}/experiment")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "job/no-experiment")
    assert user.get(f"{API}/jobs/{add_job().id}/experiment/archive").status_code == 404


def test_the_archive_of_a_form_works_as_an_experiment(user, tmp_path):
    form = {"name": "实验-1", "method": "trl/sft", "map": {"question": "prompt"},
            "data": {"train": {"digest": upload(user, CSV), "file": "问.csv"}}}  # fmt: skip
    root = unpacked(user.post(f"{API}/experiments/archive", json=form), tmp_path / "out")
    assert root.name == "实验-1"
    prepared = prepare(root)
    assert prepared.ok, prepared.findings
    made = make(user, **form)
    assert prepared.plan.digest() == planned(user, made)["plan_digest"]


def test_the_archive_of_a_job_is_what_was_submitted(user, tmp_path):
    data = {"train": {"digest": upload(user, ROWS), "file": "qa.jsonl"}}
    made = make(user, method="custom/custom", data=data, files={"train.sh": {"text": "echo 1\n"}})
    plan = planned(user, made)
    job = submitted(user, made)
    root = unpacked(user.get(f"{API}/jobs/{job['id']}/experiment/archive"), tmp_path / "out")
    assert (root / "train.sh").stat().st_mode & 0o100
    assert (root / "data" / "qa.jsonl").read_bytes() == ROWS
    assert prepare(root).plan.digest() == plan["plan_digest"]


def test_the_archive_of_a_job_with_sets_says_them_in_its_files(user, tmp_path):
    made = make(user, **CUSTOM)
    made["request"]["sets"] = ["seed=4"]
    plan = planned(user, made)["plan"]
    job = submitted(user, made)
    root = unpacked(user.get(f"{API}/jobs/{job['id']}/experiment/archive"), tmp_path / "out")
    assert prepare(root).plan.config == plan["config"]


FORMS = [
    {"method": "trl/sft", "params": {"learning_rate": 2e-5}, "resources": "cpu:2"},
    {**CUSTOM, "files": {"train.sh": {"text": "echo 'it''s'\n"}, "b c/x.py": {"text": "x = 1"}}},
    {**CUSTOM, "files": {"train.py": None}, "params": {"script": "train.sh"}, "then": [],
     "tags": ["a'b", "中文"], "description": "END-OF-FILE\n$HOME `id` \\"},
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_commands_make_the_same_experiment(user, form, tmp_path):
    made = make(user, **form)
    plan = planned(user, made)["plan"]
    *lines, submit = made["commands"].splitlines()
    init_lab(tmp_path / "lab")
    sf = Path(__file__).parents[4] / ".venv" / "bin" / "sf"
    script = "\n".join(lines).replace("sf new", f"{sf} new", 1)
    home = {
        "STARFORGE_HOME": str(tmp_path / "home"),
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path),
    }
    done = subprocess.run(
        ["bash", "-ec", script], cwd=tmp_path / "lab", env=home, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert submit.startswith("sf submit mine ") and submit.endswith(" --watch")
    import shlex

    words = shlex.split(submit)[3:-1]
    sets = [words[at + 1] for at, word in enumerate(words) if word == "--set"]
    profile = words[words.index("--profile") + 1] if "--profile" in words else None
    again = prepare(tmp_path / "lab" / "experiments" / "mine", sets=sets, profile=profile)
    assert again.ok, again.findings
    assert (again.plan.config, again.plan.parameters) == (plan["config"], plan["parameters"])
    assert again.plan.resources.cpus == plan["resources"]["cpus"]
    code = {one.path: one.sha256 for one in again.plan.files if one.source == "experiment"}
    assert code == {
        one["path"]: one["sha256"] for one in plan["files"] if one["source"] == "experiment"
    }


def test_profiles_say_what_fits(user):
    found = user.get(f"{API}/profiles", params={"method": "trl/sft"}).json()
    sizes = {one["name"]: one for one in found["profiles"]}
    assert sizes["local"]["cpus"] >= 1 and sizes["cpu:2"]["cpus"] == 2
    assert sizes["cpu:2"]["fits"] and sizes["cpu:2"]["free"]
    assert "cpu:4" not in sizes  # this server lends two
    assert found["machine"]["cpus"] == 2
    bare = user.get(f"{API}/profiles").json()["profiles"]
    assert [one["name"] for one in bare] == ["cpu:1", "cpu:2"]
    assert user.get(f"{API}/profiles", params={"method": "trl/nope"}).status_code == 404


def test_nothing_without_a_token(anybody):
    for path in ("/profiles", "/jobs/x/experiment", "/jobs/x/experiment/archive"):
        assert anybody.get(API + path).status_code == 401
    for path in ("/experiments", "/experiments/archive"):
        assert anybody.post(API + path, json={}).status_code == 401
