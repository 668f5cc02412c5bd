"""Suggestions for uploaded data, and the flowchart as questions."""

import hashlib
import json

import pytest
from click.testing import CliRunner

from starforge.choose.questions import questions
from starforge.choose.rules import BRANCHES
from starforge.cli.root import root

API = "/api/v1"
CSV = "question,answer\n2+2?,4\n3+3?,6\n"
JSON = [{"prompt": str(number), "answer": str(number)} for number in range(5)]


def suggest(user, status=200, headers=None, **body):
    answer = user.post(f"{API}/suggest", json=body, headers=headers)
    assert answer.status_code == status, answer.text
    return answer.json()


def upload(user, content):
    digest = hashlib.sha256(content).hexdigest()
    assert user.put(f"{API}/blobs/{digest}", content=content).is_success
    return digest


def test_a_table_by_its_text_or_its_digest(user):
    said = suggest(user, text=CSV, file="q.csv", gpus=0)
    assert said == suggest(user, digest=upload(user, CSV.encode()), file="q.csv", gpus=0)
    assert (said["kind"], said["form"], said["file"]) == ("verifiable", "tasks", "q.csv")
    assert said["map"] == {"question": "prompt"} and said["columns"] == ["question", "answer"]
    assert said["rows"][0] == {"prompt": "2+2?", "answer": "4"}
    assert said["recommendations"][0]["command"].startswith("sf new my-grpo --method trl/grpo")
    assert "--data q.csv" in said["recommendations"][0]["command"]


def test_it_is_the_shape_of_the_command(user, tmp_path, monkeypatch):
    monkeypatch.setenv("STARFORGE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SF_LANG", "en")
    file = tmp_path / "q.csv"
    file.write_text(CSV)
    told = json.loads(
        CliRunner().invoke(root, ["suggest", str(file), "--gpus", "0", "--json"]).stdout
    )
    said = suggest(user, text=CSV, file="q.csv", gpus=0)
    assert told.pop("file") == str(file) and said.pop("file") == "q.csv"
    ours = [one.pop("command").replace(str(file), "q.csv") for one in told["recommendations"]]
    assert ours == [one.pop("command") for one in said["recommendations"]]
    assert told == said


def test_the_situation_changes_the_order(user):
    first = {
        gpus: suggest(user, text=CSV, file="q.csv", gpus=gpus)["recommendations"][0]["method"]
        for gpus in (0, 8)
    }
    assert first == {0: "trl/grpo", 8: "nemo-rl/grpo"}
    tight = suggest(user, text=CSV, file="q.csv", gpu_memory=24)["recommendations"][0]["method"]
    assert tight == "nemo-rl/grpo-lora"


def test_renamed_columns_and_a_cut_line(user):
    text = '{"aufgabe": "1", "answer": "2"}\n{"aufgabe": "3", "ans'
    said = suggest(user, text=text, cut=True, map={"aufgabe": "prompt"}, file="a.jsonl")
    assert said["map"] == {"aufgabe": "prompt"} and len(said["rows"]) == 1
    assert "line 2 is not JSON" in suggest(user, 400, text=text)["error"]["message"]
    error = suggest(user, 400, text=text, cut=True, map={"nichts": "prompt"})["error"]
    assert error["code"] == "choose/no-column"


def test_three_rows_of_a_json_document(user):
    said = suggest(user, digest=upload(user, json.dumps(JSON).encode()), file="rows.json")
    assert said["rows"] == JSON[:3]
    assert suggest(user, 422, text="[", cut=True, file="rows.json")["error"]["hint"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "choose/nothing"),
        ({"digest": "0" * 64}, 404, "blob/not-found"),
        ({"text": ""}, 400, "choose/no-rows"),
        ({"text": '{"x": 1}'}, 400, "choose/unknown-data"),
        ({"text": "x", "file": "../../etc/a.parquet"}, 400, "choose/format"),
        ({"text": "x", "file": "/"}, 400, "choose/format"),
        ({"text": "x", "file": "a\nb\x00.jsonl"}, 400, "choose/broken-file"),
        ({"text": "x", "gpus": -1}, 400, None),
        ({"text": "x", "nonsense": 1}, 400, None),
    ],
)
def test_what_can_not_be_looked_at(user, body, status, code):
    error = suggest(user, status, **body)["error"]
    assert code is None or error["code"] == code
    assert "/tmp" not in json.dumps(error)


def test_texts_in_the_language_of_the_request(user):
    said = suggest(user, text=CSV, file="q.csv", headers={"Accept-Language": "zh-CN"})
    assert "可由程序检验" in said["why"][0]


@pytest.mark.parametrize("gpus", [0, 8])
def test_the_flowchart_leads_to_every_method_of_the_rules(user, gpus):
    chart = user.get(f"{API}/choose", params={"gpus": gpus}).json()
    asked = {one["id"]: one for one in chart["questions"]}
    first = chart["questions"][0]
    assert [one["id"] for one in first["answers"]] == [branch.kind for branch in BRANCHES]
    for branch, answer in zip(BRANCHES, first["answers"], strict=True):
        leaves = asked[answer["next"]]["answers"] if answer["next"] else [answer]
        reached = {one["method"] for leaf in leaves for one in leaf["methods"]}
        assert reached == {one.method for one in branch.advice}
        assert all(leaf["methods"] and leaf["label"]["zh"] for leaf in leaves)


def test_cases_lead_to_their_own_methods(user):
    chart = user.get(f"{API}/choose", params={"gpus": 8}).json()
    tasks = next(one for one in chart["questions"] if one["id"] == "verifiable")
    by_case = {one["id"]: [each["method"] for each in one["methods"]] for one in tasks["answers"]}
    assert by_case["default"][0] == "nemo-rl/grpo"
    assert by_case["tight_memory"] == ["nemo-rl/grpo-lora"]
    assert by_case["process_rewards"][0] == "nemo-rl/ppo"
    assert by_case["hard"] == ["nemo-rl/maxrl"]
    pairs = next(one for one in chart["questions"] if one["id"] == "preference")
    assert [one["methods"][0]["method"] for one in pairs["answers"]] == [
        "nemo-rl/dpo",
        "nemo-rl/rm",
    ]


def test_methods_that_are_not_published_are_not_in_the_flowchart(core):
    class Few:
        def names(self):
            return ["trl/kto", "trl/sft"]

        def headers(self):
            return [one for one in core.catalog.headers() if one.name in self.names()]

        def recipe(self, name):
            return core.catalog.recipe(name)

    (only,) = questions(Few(), 0)
    assert [one.id for one in only.answers] == ["instruction", "binary"]


def test_nothing_without_a_token(anybody):
    assert anybody.get(f"{API}/choose").status_code == 401
    assert anybody.post(f"{API}/suggest", json={"text": "x"}).status_code == 401
