"""What a sweep may be judged by."""

import json

import pytest

from starforge.errors import StarForgeError
from starforge.prepare import prepare
from starforge.server.services.sweep_metric import require_metric, validates


def test_a_metric_must_be_one_that_the_method_reports(core):
    for metric in ("train/loss", "eval/loss"):
        require_metric(core, "trl/sft", metric, validates=True)
    require_metric(core, "custom/custom", "whatever", validates=False)
    with pytest.raises(StarForgeError) as caught:
        require_metric(core, "trl/sft", "train/los", validates=True)
    assert "train/loss" in caught.value.hint.en
    assert caught.value.code == "sweep/metric"


@pytest.mark.parametrize("metric", ["validation/loss", "eval/loss"])
def test_a_metric_of_validation_needs_validation(core, metric):
    require_metric(core, "trl/sft", "train/loss", validates=False)
    with pytest.raises(StarForgeError) as caught:
        require_metric(core, "trl/sft", metric, validates=False)
    assert f"`{metric}` is measured on validation data" in caught.value.message.en
    assert "data.validation" in caught.value.hint.zh


def test_what_validates(tmp_path):
    def of(name, **more):
        folder = tmp_path / name
        folder.mkdir()
        for split in ("train", "validation"):
            row = {"prompt": "a", "completion": split}
            (folder / f"{split}.jsonl").write_text(json.dumps(row))
        data = {"train": "train.jsonl"} | more.pop("data", {})
        params = {"max_steps": 20, "log_steps": 1} | more
        written = {"method": "trl/sft", "model": "starforge:tiny", "data": data, "params": params}
        (folder / "experiment.yaml").write_text(json.dumps(written))
        made = prepare(folder)
        assert made.ok, made.findings
        return validates(made)

    validation = {"validation": "validation.jsonl"}
    assert not of("none")
    assert not of("unused", data=validation)
    assert of("used", data=validation, validation_strategy="epoch")
