"""``sf init|new|ls|validate|plan|methods`` without any server."""

from __future__ import annotations

import json
from pathlib import Path

import pytest


def test_a_new_experiment_is_fine(sf, lab: Path) -> None:
    shown = sf("validate", "mine")
    assert (shown.code, shown.out) == (0, "mine is fine (trl/sft)\n")
    assert sf("validate", "mine", "--json").json == {
        "ok": True,
        "method": "trl/sft",
        "findings": [],
    }


def test_init_twice_is_an_error_and_keeps_the_lab(sf, lab: Path) -> None:
    before = sorted(lab.rglob("*"))
    again = sf("init", ".")
    assert again.code == 1
    assert again.err.startswith("error: ") and "hint: " in again.err
    assert sorted(lab.rglob("*")) == before


def test_new_needs_a_lab(sf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shown = sf("new", "x", "--method", "trl/sft")
    assert shown.code == 1
    assert "sf init" in shown.err


def test_new_from_another_experiment(sf, lab: Path) -> None:
    assert sf("new", "copy", "--from", "mine").code == 0
    copied = (lab / "experiments/copy/experiment.yaml").read_text()
    assert copied == (lab / "experiments/mine/experiment.yaml").read_text()
    assert sf("new", "none").code == 2


def test_new_refuses_unknown_methods_and_bad_names(sf, lab: Path) -> None:
    unknown = sf("new", "x", "--method", "trl/stf")
    assert unknown.code == 1 and "trl/sft" in unknown.err
    assert sf("new", "../x", "--method", "trl/sft").code == 1
    assert sf("new", "mine", "--method", "trl/sft").code == 1


def test_ls(sf, lab: Path) -> None:
    sf("new", "实验-1", "--method", "custom/custom")
    listed = sf("ls", "--json").json
    assert [(one["name"], one["method"]) for one in listed] == [
        ("mine", "trl/sft"),
        ("实验-1", "custom/custom"),
    ]
    (lab / "experiments/mine/experiment.yaml").write_text("a: [")
    assert "(broken)" in sf("ls").out


BROKEN = """\
method: trl/sft
model: starforge:tiny
data:
  train: data/train.jsonl
params:
  learning_rat: 1e-5
  batch_size: 学
  log_steps: 1
"""


def test_validate_shows_places_carets_and_hints(sf, lab: Path) -> None:
    folder = lab / "experiments/mine"
    (folder / "experiment.yaml").write_text(BROKEN)
    (folder / "config.yaml").write_text("output_dir: /tmp/x\n")
    shown = sf("validate", "mine")
    assert shown.code == 1
    assert shown.out == (
        "experiment.yaml:6:3: error config/unknown-parameter "
        "`learning_rat` is not a parameter of trl/sft\n"
        "  6 |   learning_rat: 1e-5\n"
        "    |   ^^^^^^^^^^^^\n"
        "  hint: did you mean `learning_rate`?\n"
        "experiment.yaml:7:3: error config/wrong-type "
        '`batch_size` must be a whole number in trl@1.10.0, not the text "学"\n'
        "  7 |   batch_size: 学\n"
        "    |   ^^^^^^^^^^\n"
        "config.yaml:1:1: error config/pinned `output_dir` is fixed by trl/sft: Checkpoints must "
        "lie where StarForge finds them to resume and to list them. Every job has a folder of its "
        "own.\n"
        "  1 | output_dir: /tmp/x\n"
        "    | ^^^^^^^^^^\n"
        "  hint: remove it\n"
        "3 errors\n"
    )


def test_validate_in_chinese(sf, lab: Path) -> None:
    (lab / "experiments/mine/experiment.yaml").write_text(BROKEN)
    shown = sf("validate", "mine", "--lang", "zh")
    assert "experiment.yaml:6:3: 错误 config/unknown-parameter" in shown.out
    assert "  提示：是不是想写 `learning_rate`？\n" in shown.out
    assert shown.out.endswith("2 个错误\n")


def test_validate_json_shape(sf, lab: Path) -> None:
    (lab / "experiments/mine/experiment.yaml").write_text(BROKEN)
    for how in (["--json"], ["--format", "json"]):
        shown = sf("validate", "mine", *how)
        assert shown.code == 1
        found = shown.json
        assert (found["ok"], found["method"]) == (False, "trl/sft")
        keys = {"code", "severity", "file", "line", "column", "key", "value", "message", "hint"}
        assert all(set(finding) == keys for finding in found["findings"])


def test_strict_counts_warnings(sf, lab: Path) -> None:
    lock = lab / "experiments/mine/recipe.lock.json"
    locked = json.loads(lock.read_text())
    locked["runtime"] = {"cpu": "0" * 64}
    lock.write_text(json.dumps(locked))
    fine = sf("validate", "mine")
    assert fine.code == 0 and "1 warning" in fine.out
    assert sf("validate", "mine", "--strict").code == 1
    assert sf("validate", "mine", "--strict", "--json").json["ok"] is False


def test_validate_a_missing_experiment(sf, lab: Path) -> None:
    shown = sf("validate", "mien", "--json")
    assert shown.code == 1
    assert shown.json["error"]["code"] == "lab/no-experiment"
    assert "mine" in shown.json["error"]["hint"]


def test_plan_shape_and_digest(sf, lab: Path) -> None:
    plan = sf("plan", "mine", "--json").json
    for key in ("method", "processes", "files", "config", "differs", "checkpoints", "metrics"):
        assert key in plan
    assert set(plan["processes"][0]) >= {"role", "argv", "env", "cwd", "count"}
    other = sf("plan", "mine", "--set", "learning_rate=0.5", "--json").json
    assert other["digest"] != plan["digest"]
    assert other["config"]["learning_rate"] == 0.5


def test_plan_marks_what_differs(sf, lab: Path) -> None:
    shown = sf("plan", "mine", "--set", "learning_rate=0.5").out
    assert "  * learning_rate: 0.5  # --set; upstream: " in shown
    assert "\n    warmup_steps: " in shown
    assert "\n    warmup_steps: " not in sf("plan", "mine", "--brief").out


def test_plan_out_writes_everything_and_never_over_something(sf, lab: Path) -> None:
    assert sf("plan", "mine", "--out", "written").code == 0
    out = lab / "written"
    plan = json.loads((out / "plan.json").read_text())
    generated = [file for file in plan["files"] if file["content"] is not None]
    assert generated
    for file in generated:
        assert (out / "files" / file["path"]).read_text() == file["content"]
    assert (out / "files/record/experiment/experiment.yaml").is_file()
    assert "export" in (out / "commands.sh").read_text()
    before = (out / "plan.json").read_bytes()
    again = sf("plan", "mine", "--set", "learning_rate=0.5", "--out", "written")
    assert again.code == 1 and "not empty" in again.err
    assert (out / "plan.json").read_bytes() == before


def test_plan_of_a_broken_experiment(sf, lab: Path) -> None:
    (lab / "experiments/mine/experiment.yaml").write_text(BROKEN)
    shown = sf("plan", "mine")
    assert (shown.code, shown.out) == (1, "")
    assert "config/unknown-parameter" in shown.err
    assert sf("plan", "mine", "--json").json["ok"] is False


def test_methods_list_and_detail(sf) -> None:
    listed = sf("methods", "--json").json
    assert {"trl/sft", "custom/custom"} <= {method["name"] for method in listed}
    for method in listed:
        assert {"name", "framework", "version", "summary", "data", "roles"} <= set(method)
        assert set(method["summary"]) == {"en", "zh"}
    one = sf("methods", "trl/sft", "--json").json
    keys = {
        "name", "path", "type", "default", "choices", "minimum", "maximum", "group", "description",
    }  # fmt: skip
    assert all(keys <= set(parameter) for parameter in one["parameters"])
    assert all({"path", "value", "reason"} <= set(pin) for pin in one["pins"])
    assert "catalog of this tool" in sf("methods").err


def test_methods_filters(sf) -> None:
    listed = sf("methods", "--data", "instruction", "--json").json
    assert "trl/sft" in {method["name"] for method in listed}
    assert {method["data"] for method in listed} == {"instruction"}
    found = [m["name"] for m in sf("methods", "--search", "监督", "--json").json]
    assert "trl/sft" in found
    assert "trl/dpo" not in found
    unknown = sf("methods", "trl/sfd", "--json")
    assert unknown.code == 1
    assert unknown.json["error"]["code"] == "catalog/unknown-method"


def test_completion_scripts_and_candidates(sf, lab: Path) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert "_SF_COMPLETE" in sf("completion", shell).out
    import click

    from starforge.cli.complete import complete_experiment, complete_job, complete_method

    context, parameter = click.Context(click.Command("x")), click.Argument(["x"])

    def values(complete, start: str) -> list[str]:
        return [item.value for item in complete(context, parameter, start)]

    assert "trl/sft" in values(complete_method, "trl/")
    assert not [name for name in values(complete_method, "") if "/_" in name]
    assert values(complete_experiment, "mi") == ["mine"]
    assert values(complete_job, "") == []
    Path("x").mkdir()
    home = Path(lab.parent / "home/jobs/abc123/record")
    home.mkdir(parents=True)
    (home / "plan.json").write_text('{"method": "trl/sft"}')
    assert values(complete_job, "ab") == ["abc123"]


def test_bench_ls_shows_bundled_and_own_packs(sf, lab: Path) -> None:
    listed = {pack["name"]: pack for pack in sf("bench", "ls", "--json").json}
    assert {"gsm8k", "mmlu", "ceval", "ifeval"} <= set(listed)
    for pack in listed.values():
        assert set(pack["title"]) == {"en", "zh"} and pack["version"] and pack["metric"]
    own = lab / "benchmarks/broken"
    own.mkdir(parents=True)
    (own / "pack.yaml").write_text("name: [")
    shown = sf("bench", "ls")
    assert shown.code == 1 and "pack.yaml" in shown.err and "Traceback" not in shown.err
