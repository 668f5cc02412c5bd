"""``sf import`` and ``sf port`` as a person types them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from starforge.lab.scaffold import init_lab

Sf = Callable[..., tuple[int, str, str]]
ROW = {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lab = tmp_path / "lab"
    init_lab(lab)
    (lab / "data/chat.jsonl").write_text((json.dumps(ROW) + "\n") * 16, "utf-8")
    monkeypatch.chdir(lab)
    return lab


SCRIPT = """\
torchrun --standalone --nproc_per_node=2 -m verl.trainer.sft_trainer \\
    data.train_files=data/chat.jsonl model.path=org/base data.train_batch_size=8 \\
    data.micro_batch_size_per_gpu=2 optim.lr=2e-5 no.such.key=1 trainer.total_epochs=2
"""


def test_a_script_by_name(here: Path, sf: Sf) -> None:
    (here / "sft.sh").write_text(SCRIPT, "utf-8")
    code, out, _ = sf("import", "sft.sh")
    assert code == 0, out
    assert "no.such.key=1 (line 3)" in out
    assert (here / "experiments/sft/experiment.yaml").is_file()
    code, out, _ = sf("validate", "sft")
    assert code == 0, out
    code, _, err = sf("import", "sft.sh")
    assert code == 1
    assert "already" in err


def test_an_argv_as_json_then_ported(here: Path, sf: Sf) -> None:
    words = ["trl", "sft", "--model_name_or_path", "org/base", "--learning_rate", "1e-5",
             "--per_device_train_batch_size", "2", "--num_train_epochs", "1"]  # fmt: skip
    code, out, _ = sf("import", "--name", "mine", "--json", "--", *words)
    assert code == 1  # it names no data
    found: dict[str, Any] = json.loads(out)
    assert found["method"] == "trl/sft"
    assert found["params"]["learning_rate"] == 1e-5
    assert [n["what"] for n in found["notes"] if n["kind"] == "todo"] == ["data.train"]
    assert found["ok"] is False
    assert found["findings"]
    target = here / "experiments/mine/data/train.jsonl"
    target.parent.mkdir()
    target.write_text((here / "data/chat.jsonl").read_text("utf-8"), "utf-8")
    code, out, _ = sf("port", "mine", "--to", "verl/sft", "--json")
    assert code == 0, out
    found = json.loads(out)
    assert Path(found["folder"]).name == "mine-verl"
    assert found["params"]["global_batch_size"] == 2
    assert found["ok"] is True


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["import", "missing.sh"], 2),
        (["import", "--run", "--", "trl", "sft"], 2),
        (["import", "--", "python", "own.py"], 1),
        (["port", "missing", "--to", "trl/sft"], 1),
    ],
)
def test_bad_input_ends_in_one_clear_error(here: Path, sf: Sf, words: list[str], code: int) -> None:
    got, _, err = sf(*words)
    assert got == code
    assert err
    assert "Traceback" not in err
    assert list((here / "experiments").glob("*/*")) == []


def test_both_languages(here: Path, sf: Sf) -> None:
    (here / "sft.sh").write_text(SCRIPT, "utf-8")
    code, out, _ = sf("import", "sft.sh", "--lang", "zh")
    assert code == 0
    assert "未能沿用" in out
    assert "未能沿用" in (here / "experiments/sft/README.md").read_text("utf-8")
