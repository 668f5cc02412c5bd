"""``sf methods|suggest|new --data|explain|recipe``, and validation of a whole lab."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from starforge.catalog.load import DATA
from starforge.cli.annotations import github_lines
from starforge.findings.declared import every_rule

ROOT = Path(__file__).parents[3]
WHY = "{en: Ours., zh: 自定。}"
CSV = "question,answer\n2+2?,4\n3+3?,6\n"


def change_lock(lab: Path, name: str, **fields: object) -> dict:
    file = lab / "experiments" / name / "recipe.lock.json"
    locked = json.loads(file.read_text()) | fields
    file.write_text(json.dumps(locked))
    return locked


def test_methods_by_kind_and_filters_combine(sf) -> None:
    out = sf("methods").out
    heads = [line for line in out.splitlines() if line and not line.startswith(" ")]
    assert heads[0] == "Instructions and answers (instruction)"
    assert len(heads) == 6
    rl = sf("methods", "--data", "rl", "--framework", "verl", "--search", "kl", "--json").json
    assert rl and all(m["framework"] == "verl" and m["data"] == "verifiable" for m in rl)
    assert sf("methods", "--search", "no-such-word-at-all", "--json").json == []
    assert sf("methods", "--data", "nonsense").code == 2
    assert "catalog of this tool" in sf("methods").err


def test_search_finds_names_of_parameters_and_of_upstream(sf) -> None:
    def found(text: str) -> set[str]:
        return {m["name"] for m in sf("methods", "--search", text, "--json").json}

    assert "trl/grpo" in found("group_size") and "trl/sft" not in found("group_size")
    assert found("actor_rollout_ref.actor.optim.lr") >= {"verl/grpo", "verl/dapo"}
    assert all(name.startswith("verl/") for name in found("actor_rollout_ref.actor.optim.lr"))


def test_methods_diff(sf) -> None:
    shown = sf("methods", "diff", "trl/grpo", "trl/rloo")
    assert shown.code == 0 and "    default: 8 | 2" in shown.out
    assert "normalize_advantages" in shown.out
    found = sf("methods", "diff", "trl/grpo", "trl/rloo", "--json").json
    assert found["parameters"]["different"]["kl_coef"]["default"] == {"a": 0.0, "b": 0.05}
    assert sf("methods", "diff", "trl/grpo").code == 2
    assert sf("methods", "trl/grpo", "trl/rloo").code == 2
    assert "trl/grpo" in sf("methods", "diff", "trl/gpo", "trl/rloo").err
    assert "没有区别" in sf("methods", "diff", "trl/kto", "trl/kto", "--lang", "zh").out


def own_recipe(home: Path, version: str, epochs: float) -> None:
    """Give this machine's catalog a trl/sft of its own."""
    (home / "catalog/recipes/trl").mkdir(parents=True)
    (home / "catalog/contracts").mkdir()
    bundled = (DATA / "recipes/trl/sft.yaml").read_text("utf-8")
    assert "\nparameters:\n" in bundled
    epochs_of = f"epochs: {{path: num_train_epochs, default: {epochs}, why_default: {WHY}}}"
    more = f"\nversion: {version}\nparameters:\n  {epochs_of}\n"
    text = bundled.replace("\nparameters:\n", more, 1)
    (home / "catalog/recipes/trl/sft.yaml").write_text(text, "utf-8")
    contract = json.loads((DATA / "contracts/trl-1.10.0.json").read_text("utf-8"))
    file = home / f"catalog/contracts/trl-{version}.json"
    file.write_text(json.dumps({**contract, "version": version}), "utf-8")


def test_two_versions_of_a_method(sf, private_home: Path) -> None:
    own_recipe(private_home, "1.9.0", 7.0)
    for a, b in (("trl/sft", "trl/sft@bundled"), ("trl/sft@1.9.0", "trl/sft@1.10.0")):
        found = sf("methods", "diff", a, b, "--json").json
        assert (found["a"], found["b"]) == ("trl/sft@1.9.0", "trl/sft@1.10.0")
        assert found["parameters"]["different"]["epochs"]["default"]["a"] == 7.0
    assert sf("methods", "trl/sft@1.10.0", "--json").json["version"] == "1.10.0"
    wrong = sf("methods", "diff", "trl/sft@0.1", "trl/sft")
    assert wrong.code == 1
    assert "trl/sft@1.9.0" in wrong.err and "trl/sft@1.10.0" in wrong.err
    assert "`trl/sft`" in sf("methods", "diff", "trl/sff@1.10.0", "trl/sft").err


def test_a_recipe_that_hides_the_bundled_one_of_its_version(sf, private_home: Path) -> None:
    own_recipe(private_home, "1.10.0", 7.0)
    found = sf("methods", "diff", "trl/sft", "trl/sft@bundled", "--json").json
    assert (found["a"], found["b"]) == ("trl/sft", "trl/sft@bundled")
    assert set(found["parameters"]["different"]) == {"epochs"}


def test_suggest(sf, lab: Path) -> None:
    (lab / "q.csv").write_text(CSV)
    found = sf("suggest", "q.csv", "--gpus", "0", "--json").json
    assert (found["kind"], found["form"], found["map"]) == (
        "verifiable", "tasks", {"question": "prompt"},
    )  # fmt: skip
    assert found["rows"] == [{"prompt": "2+2?", "answer": "4"}, {"prompt": "3+3?", "answer": "6"}]
    first = found["recommendations"][0]
    assert first["method"] == "trl/grpo" and first["command"].startswith("sf new my-grpo ")
    shown = sf("suggest", "q.csv", "--gpus", "1", "--gpu-memory", "24", "--lang", "zh").out
    assert "可验证任务" in shown and "1. nemo-rl/grpo-lora" in shown and "0.9B" in shown
    assert sf("suggest", "nothing.csv").code == 1
    assert sf("suggest", "q.csv", "--map", "prompt=nothing").code == 1


def test_suggest_joins_renamings(sf, lab: Path) -> None:
    (lab / "x.jsonl").write_text('{"q": "a", "output": "b"}\n')
    found = sf("suggest", "x.jsonl", "--map", "prompt=q", "--json").json
    assert found["map"] == {"q": "prompt", "output": "completion"}
    assert "--map prompt=q --map completion=output" in found["recommendations"][0]["command"]


def test_the_suggested_command_makes_an_experiment_that_validates(sf, lab: Path) -> None:
    (lab / "q.csv").write_text(CSV)
    command = sf("suggest", "q.csv", "--gpus", "0", "--json").json["recommendations"][0]["command"]
    assert sf(*command.split()[1:]).code == 0
    folder = lab / "experiments/my-grpo"
    document = yaml.safe_load((folder / "experiment.yaml").read_text())
    assert document["data"] == {"train": "data/train.jsonl", "map": {"question": "prompt"}}
    rows = [json.loads(line) for line in (folder / "data/train.jsonl").read_text().splitlines()]
    assert rows == [{"question": "2+2?", "answer": "4"}, {"question": "3+3?", "answer": "6"}]
    assert sf("validate", "my-grpo", "--json").json["ok"] is True


def test_new_names_json_lines_where_they_lie(sf, lab: Path, tmp_path: Path) -> None:
    row = '{"prompt": "a", "completion": "b"}\n'
    (lab / "data/own.jsonl").write_text(row)
    (tmp_path / "far.jsonl").write_text(row)
    assert sf("new", "near", "--method", "trl/sft", "--data", "data/own.jsonl").code == 0
    far = str(tmp_path / "far.jsonl")
    assert sf("new", "far", "--method", "trl/sft", "--data", far, "--model", "org/m").code == 0
    near = yaml.safe_load((lab / "experiments/near/experiment.yaml").read_text())
    assert near["data"]["train"] == "data/own.jsonl"
    assert not (lab / "experiments/near/data").exists()
    document = yaml.safe_load((lab / "experiments/far/experiment.yaml").read_text())
    assert (document["data"]["train"], document["model"]) == (far, "org/m")


@pytest.mark.parametrize(
    "options",
    [
        ["--method", "trl/sft", "--map", "prompt=q"],
        ["--method", "evalkit/benchmark", "--data", "q.csv"],
        ["--method", "trl/sft", "--teacher", "org/m"],
        ["--from", "mine", "--data", "q.csv"],
    ],
)
def test_options_of_new_that_do_not_go_together(sf, lab: Path, options: list[str]) -> None:
    (lab / "q.csv").write_text(CSV)
    assert sf("new", "x", *options).code == 2
    assert not (lab / "experiments/x").exists()


def test_new_with_broken_data_leaves_nothing(sf, lab: Path) -> None:
    (lab / "q.csv").write_text("a,b\n" + "1,2\n" * 2000 + "1\n")
    made = sf("new", "x", "--method", "trl/sft", "--data", "q.csv")
    assert made.code == 1 and "line 2002" in made.err
    assert [one.name for one in (lab / "experiments").iterdir() if one.is_dir()] == ["mine"]


def test_explain_every_code(sf) -> None:
    rules = every_rule()
    assert len(rules) > 150 and "input/not-uploaded" in rules
    listed = sf("explain", "--json").json
    assert [one["code"] for one in listed] == sorted(rules)
    for one in listed:
        assert one["good"].strip() and one["why"].strip()
        assert one["bad"].strip() or one["code"] == "data/empty", "an empty file"
        assert not re.search(r"\{\w+\.(en|zh)\}", one["message"] + str(one["hint"]))
    shown = sf("explain", "lock/drift", "--lang", "zh").out
    assert "不通过：" in shown and "锁定之后有变化" in shown
    assert {one["code"].split("/")[0] for one in sf("explain", "lock", "--json").json} == {"lock"}


@pytest.mark.parametrize("code", ["lock/drfit", "drift", "config/unknwon-key", "unknown-key"])
def test_explain_names_the_nearest(sf, code: str) -> None:
    shown = sf("explain", code)
    assert shown.code == 1
    assert ("lock/drift" if "dr" in code else "config/unknown-key") in shown.err


def test_validate_all(sf, lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sf("new", "other", "--method", "custom/custom").code == 0
    fine = sf("validate", "--all", "--json")
    assert fine.code == 0 and fine.json["ok"] is True
    assert [one["name"] for one in fine.json["experiments"]] == ["mine", "other"]
    (lab / "experiments/other/experiment.yaml").write_text("method: [\n")
    broken = sf("validate", "--all")
    assert broken.code == 1 and "1 of 2 experiments are fine" in broken.err
    monkeypatch.chdir(lab.parent)
    assert sf("validate", "lab", "--all").code == 1
    assert sf("validate", "--all").code == 1, "in no lab"
    assert sf("validate").code == 2


def test_github_annotations_name_files_of_the_repository(
    sf, lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (lab / "experiments/mine/config.yaml").write_text("learning_rat: 1\n")
    monkeypatch.chdir(lab.parent)
    shown = sf("validate", "--all", "lab", "--format", "github")
    assert shown.code == 1
    line = next(one for one in shown.out.splitlines() if "unknown-key" in one)
    assert line.startswith(
        "::error file=lab/experiments/mine/config.yaml,line=1,col=1,title=config/unknown-key::"
    )


def test_annotations_escape_what_github_reads_itself() -> None:
    finding = {
        "code": "a/b", "severity": "info", "file": "a,b:c.yaml", "line": None, "column": None,
        "message": "100%\nof it", "hint": None,
    }  # fmt: skip
    assert github_lines([finding]) == ["::notice file=a%2Cb%3Ac.yaml,title=a/b::100%25%0Aof it"]


def test_sarif(sf, lab: Path) -> None:
    (lab / "experiments/mine/config.yaml").write_text("learning_rat: 1\nlearning_raet: 1\n")
    (lab / "experiments/mine/说明 1.jsonl").write_text("[]\n")
    document = lab / "experiments/mine/experiment.yaml"
    document.write_text(document.read_text().replace("data/train.jsonl", "说明 1.jsonl"))
    shown = sf("validate", "mine", "--format", "sarif")
    log = shown.json
    assert shown.code == 1 and log["version"] == "2.1.0" and "sarif-schema-2.1.0" in log["$schema"]
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in {"error", "warning", "note"} and result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uriBaseId"] == "%SRCROOT%"
        assert place["artifactLocation"]["uri"].isascii()
        assert place.get("region", {}).get("startLine", 1) >= 1
    places = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    uris = [place["artifactLocation"]["uri"] for place in places]
    assert uris[:2] == ["experiments/mine/config.yaml"] * 2
    assert any("%20" in uri for uri in uris)


def test_recipe_status_and_upgrade(sf, lab: Path) -> None:
    assert "as locked" in sf("recipe", "status", "mine").out
    parameters = json.loads((lab / "experiments/mine/recipe.lock.json").read_text())["parameters"]
    old = {name: value for name, value in parameters.items() if name != "epochs"}
    change_lock(lab, "mine", recipe="0" * 64, parameters=old | {"olden": "x=1"})
    status = sf("recipe", "status", "mine")
    assert status.code == 1
    assert "parameters gone: olden" in status.out and "new parameters: epochs" in status.out
    found = sf("recipe", "status", "--all", "--json")
    assert found.code == 1 and found.json[0]["refused"] is True
    assert found.json[0]["changes"][0]["part"] == "recipe"
    assert sf("validate", "mine").code == 1
    (lab / "experiments/mine/config.yaml").write_text("torch_dtype: float32  # mine\n")
    upgraded = sf("recipe", "upgrade", "mine", "--json")
    assert upgraded.code == 0
    assert upgraded.json[0]["renamed"] == {"torch_dtype": "dtype"}
    assert upgraded.json[0]["refused"] is False and upgraded.json[0]["dead"] == []
    text = (lab / "experiments/mine/config.yaml").read_text()
    assert text == "dtype: float32  # mine\n"
    assert sf("validate", "mine").code == 0
    assert sf("recipe", "status", "mine").code == 0


def test_one_broken_experiment_does_not_hide_the_others(sf, lab: Path) -> None:
    broken = lab / "experiments/broken"
    broken.mkdir()
    (broken / "experiment.yaml").write_text("method: [\n")
    shown = sf("recipe", "status", "--all", "--json")
    assert shown.code == 1
    assert [(one["name"], "error" in one) for one in shown.json] == [
        ("mine", False), ("broken", True),
    ]  # fmt: skip
    assert sf("recipe", "upgrade", "broken").code == 1


def test_a_drifted_lock_is_not_submitted(sf, lab: Path, private_home: Path) -> None:
    change_lock(lab, "mine", contract="0" * 64)
    shown = sf("submit", "mine")
    assert shown.code == 1 and "lock/drift" in shown.err and "--update-lock" in shown.err
    assert not (private_home / "server.json").exists(), "nothing was started"


def test_the_hook_and_the_action_call_what_there_is(sf) -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert hooks[0]["entry"] == "sf validate --all" and hooks[0]["pass_filenames"] is False
    pattern = re.compile(hooks[0]["files"])
    for name in ("starforge.yaml", "labs/a/experiments/x/config.yaml", "data/train.jsonl"):
        assert pattern.search(name)
    assert not pattern.search("docs/index.md")
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    steps = action["runs"]["steps"]
    script = steps[-1]["run"]
    assert set(re.findall(r"inputs\.([\w-]+)", json.dumps(steps))) == set(action["inputs"])
    options = set(re.findall(r"--[a-z]+", script))
    assert options <= {"--all", "--strict", "--format"} and "--format github" in script
