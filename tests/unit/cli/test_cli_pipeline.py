"""``sf pipeline new|validate|plan`` without any server."""

from __future__ import annotations

from pathlib import Path

import pytest


def write(lab: Path, text: str) -> None:
    file = lab / "pipelines" / "p" / "pipeline.yaml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def test_a_new_pipeline_is_fine_and_can_be_planned(sf, lab: Path) -> None:
    made = sf("pipeline", "new", "chat", "--template", "sft-dpo-benchmark", "--json").json
    assert [Path(one).name for one in made["experiments"]] == ["chat-sft", "chat-dpo"]
    assert (Path(made["folder"]) / "pipeline.yaml").is_file()
    shown = sf("pipeline", "validate", "chat")
    assert (shown.code, shown.out) == (0, "chat: 4 stages are fine\n")
    assert sf("--lang", "zh", "pipeline", "validate", "chat").out == "chat：4 个阶段检查通过\n"
    plan = sf("pipeline", "plan", "chat", "--json").json
    stages = {one["name"]: one for one in plan["stages"]}
    assert list(stages) == ["base-score", "sft", "dpo", "score"]
    assert stages["score"]["needs"] == ["dpo", "base-score"]
    assert stages["dpo"]["inputs"]["model"] == "stage:sft"
    table = sf("pipeline", "plan", "chat").out
    for one in stages.values():
        assert one["plan_digest"][:12] in table
    whole = sf("pipeline", "plan", "chat", "--stage", "dpo", "--json").json
    assert whole["digest"] == stages["dpo"]["plan_digest"]
    assert sf("pipeline", "plan", "chat", "--stage", "nope").code == 2


def test_the_base_model_can_be_chosen(sf, lab: Path) -> None:
    args = ("--template", "sft-grpo-benchmark", "--model", "org/base")
    assert sf("pipeline", "new", "m", *args).code == 0
    text = (lab / "pipelines" / "m" / "pipeline.yaml").read_text()
    assert text.count("model: org/base\n") == 2


def test_what_is_wrong_is_shown_with_its_line(sf, lab: Path) -> None:
    write(lab, "stages:\n  tune: {experiment: mine}\n  b: {experiment: mine, init_from: tun}\n")
    shown = sf("pipeline", "validate", "p")
    assert shown.code == 1
    assert "pipelines/p/pipeline.yaml:3:25: error pipeline/unknown-stage" in shown.out
    assert "did you mean `tune`?" in shown.out
    found = sf("pipeline", "validate", "p", "--json")
    assert (found.code, found.json["ok"]) == (1, False)
    assert found.json["findings"][0]["code"] == "pipeline/unknown-stage"
    planned = sf("pipeline", "plan", "p")
    assert (planned.code, planned.out) == (1, "")
    assert "1 error" in planned.err


def test_a_warning_counts_only_with_strict(sf, lab: Path) -> None:
    write(lab, "stages: {a: {experiment: mine, model: org/m, set: {learning_rate: 1.0}}}\n")
    assert sf("pipeline", "validate", "p").code == 0
    assert sf("pipeline", "validate", "p", "--strict").code == 1


def test_names_that_are_not_there_get_a_hint(sf, lab: Path) -> None:
    write(lab, "stages: {a: {experiment: mine}}\n")
    (lab / "pipelines" / "p").rename(lab / "pipelines" / "math")
    shown = sf("pipeline", "validate", "mathh")
    assert (shown.code, "did you mean `math`?" in shown.err) == (1, True)
    assert sf("pipeline", "validate", "").code == 1
    assert sf("pipeline", "new", "x", "--template", "nope").code == 2
    assert sf("pipeline", "new", "../x", "--template", "sft-dpo-benchmark").code == 1


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", ["", "try 2", "try 3: it broke"]),
        ("zh", ["", "第 2 次尝试", "第 3 次尝试：it broke"]),
    ],
)
def test_which_try_a_stage_is_at_is_said(capsys, monkeypatch, lang, said):
    from starforge.cli.pipeline_view import _tell
    from starforge.wire.pipelines import Stage

    monkeypatch.setenv("SF_LANG", lang)
    stages = [
        Stage(name="a", kind="experiment", what="a", method="custom/custom", state="running",
              plan_digest="0", retries=2, attempt=attempt, message=message)
        for attempt, message in enumerate([None, None, "it broke"])
    ]  # fmt: skip
    for stage in stages:
        _tell(stage)
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition("  ")[2] for line in lines] == said
