"""The parts of the TRL drivers that need nothing but the standard library."""

import importlib
import json
import signal
import struct
import sys
import zipfile
from pathlib import Path

import pytest

import starforge.frameworks

FOLDER = Path(starforge.frameworks.__file__).parent


@pytest.fixture
def driver(monkeypatch, tmp_path):
    """Import a driver module as a job does: from the folder it lies in."""
    for folder in ("trl/drivers", "_drivers"):
        monkeypatch.syspath_prepend(str(FOLDER / folder))
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", str(tmp_path / "attempt-0"))
    monkeypatch.setenv("STARFORGE_OUTPUT_DIR", str(tmp_path / "output"))
    before, handler = set(sys.modules), signal.getsignal(signal.SIGTERM)
    yield importlib.import_module
    signal.signal(signal.SIGTERM, handler)
    for name in set(sys.modules) - before:
        del sys.modules[name]


def checkpoint(folder: Path, step: int) -> Path:
    made = folder / f"checkpoint-{step}"
    made.mkdir(parents=True)
    header = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    (made / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bytes(8))
    with zipfile.ZipFile(made / "optimizer.pt", "w") as archive:
        archive.writestr("data", "x" * 100)
    (made / "trainer_state.json").write_text(json.dumps({"global_step": step}))
    return made


def cut(name):
    def damage(folder):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: len(data) // 2])

    return damage


def remove(name):
    return lambda folder: (folder / name).unlink()


@pytest.mark.parametrize(
    "damage",
    [
        remove("trainer_state.json"), cut("trainer_state.json"), remove("model.safetensors"),
        cut("model.safetensors"), cut("optimizer.pt"),
        lambda folder: (folder / "trainer_state.json").write_text('{"global_step": 3}'),
        lambda folder: (folder / "model.safetensors.index.json").write_text(
            '{"weight_map": {"a": "model-1.safetensors"}}'),
    ],
)  # fmt: skip
def test_the_last_whole_checkpoint_is_taken(driver, tmp_path, capsys, damage):
    checkpoints = driver("trl_checkpoints")
    for step in (2, 10, 9):
        checkpoint(tmp_path, step)
    (tmp_path / "checkpoint-x").mkdir()
    assert checkpoints.last_whole(tmp_path).name == "checkpoint-10"
    damage(tmp_path / "checkpoint-10")
    assert checkpoints.last_whole(tmp_path).name == "checkpoint-9"
    assert "checkpoint-10 is not whole" in capsys.readouterr().err


def test_no_checkpoint_at_all(driver, tmp_path):
    checkpoints = driver("trl_checkpoints")
    assert checkpoints.last_whole(tmp_path / "none") is None
    checkpoints.set_aside(tmp_path / "none")  # nothing to do


def test_checkpoints_of_an_earlier_attempt_are_moved_not_deleted(driver, tmp_path):
    folder = tmp_path / "checkpoints"
    checkpoint(folder, 4)
    driver("trl_checkpoints").set_aside(folder)
    (moved,) = tmp_path.glob("checkpoints-before-*")
    assert (moved / "checkpoint-4" / "model.safetensors").exists()
    assert not folder.exists()


def test_placeholders_are_filled_everywhere(driver):
    fill = driver("job_files").fill
    config = {"a": "${OUTPUT}/x", "b": ["${MODEL}", 3], "c": {"d": "${OTHER}"}}
    filled = fill(config, {"OUTPUT": "/out", "MODEL": "m"})
    assert filled == {"a": "/out/x", "b": ["m", 3], "c": {"d": "${OTHER}"}}


def test_progress_and_artifacts(driver, tmp_path):
    files = driver("job_files")
    (tmp_path / "attempt-0").mkdir()
    files.write_progress(3, 10)
    progress = json.loads((tmp_path / "attempt-0" / "progress.json").read_text())
    assert (progress["step"], progress["total"]) == (3, 10)
    files.declare_artifact(tmp_path / "output" / "model", "model", "model")
    row = json.loads((tmp_path / "attempt-0" / "artifacts.jsonl").read_text())
    assert row == {"kind": "model", "path": "output/model", "name": "model"}


def test_progress_that_can_not_be_written_does_not_end_the_job(driver, capsys):
    driver("job_files").write_progress(1, None)  # the attempt folder is not there
    assert "progress can't be written" in capsys.readouterr().err


def test_rows_that_can_not_be_read_are_named(driver, tmp_path):
    data = driver("trl_data")
    error = driver("job_files").JobError
    file = tmp_path / "train.jsonl"
    file.write_text('{"text": "a"}\n\n{"text": \n')
    rows = data.read(file)
    assert next(rows) == {"text": "a"}
    with pytest.raises(error, match=r"train\.jsonl:3: not JSON"):
        next(rows)
    with pytest.raises(error, match="can't be read"):
        next(data.read(tmp_path / "none"))
    file.write_text("[1]\n")
    with pytest.raises(error, match="not a JSON object"):
        next(data.read(file))


def test_shapes(driver):
    data = driver("trl_data")
    row = {"prompt": "", "completion": "", "id": 1}
    assert data.shape_of(row, data.INSTRUCTION) == ("prompt", "completion")
    assert data.shape_of({"prompt": ""}, data.INSTRUCTION) is None
    assert data.shape_of({"chosen": [], "rejected": []}, data.PREFERENCE) == ("chosen", "rejected")
    assert data.shape_of(row, data.BINARY) is None
    assert data.conversational({"prompt": []})
    assert data.conversational({"chosen": [], "rejected": []})
    assert not data.conversational({"text": "x"})


def test_survey_finds_extras_of_later_rows(driver, tmp_path):
    data = driver("trl_data")
    file = tmp_path / "train.jsonl"
    turn = '{"role": "user", "content": "a"}'
    file.write_text(f'{{"messages": [{turn}]}}\n{{"messages": [{turn}], "tools": []}}\n')
    assert data.survey(file, ("messages",)) == ({"messages": {"turns"}}, ("tools",))
    file.write_text('{"messages": [{"role": "user", "content": null}]}\n')
    assert data.survey(file, ("messages",)) == ({"messages": {"other"}}, ())


def test_a_mistake_of_the_user_is_one_line(driver, capsys, tmp_path):
    files = driver("job_files")

    def main():
        try:
            raise ValueError("two\n lines")
        except ValueError as error:
            raise files.JobError(f"refused: {files.one_line(error)}") from error

    with pytest.raises(SystemExit) as caught:
        files.run(main)
    assert caught.value.code == 1
    assert capsys.readouterr().err == "error: refused: two lines\n"
    kept = (tmp_path / "attempt-0" / "logs" / files.TRACEBACK).read_text()
    assert "ValueError" in kept
    assert (tmp_path / "attempt-0" / "failure.txt").read_text() == "refused: two lines\n"


def test_a_failure_that_upstream_explains_is_left_to_the_log(driver, capsys, tmp_path):
    files = driver("job_files")

    def main():
        raise files.SeeAboveError("upstream ended with exit code 1; its own message stands above")

    with pytest.raises(SystemExit) as caught:
        files.run(main)
    assert caught.value.code == 1
    assert capsys.readouterr().err.startswith("error: upstream ended")
    assert not (tmp_path / "attempt-0" / "failure.txt").exists()


def test_a_full_disk_is_one_line(driver, capsys):
    def main():
        raise RuntimeError("I/O error: No space left on device (os error 28)")

    with pytest.raises(SystemExit) as caught:
        driver("job_files").run(main)
    assert caught.value.code == 1
    assert capsys.readouterr().err.startswith("error: no space left on device")


def test_an_unexpected_error_keeps_its_traceback(driver):
    def main():
        raise KeyError("a defect of ours")

    with pytest.raises(KeyError):
        driver("job_files").run(main)


PAIR = {
    "chosen": [{"role": "user", "content": "1?"}, {"role": "assistant", "content": "yes"}],
    "rejected": [{"role": "user", "content": "1?"}, {"role": "assistant", "content": "no"}],
}


def test_what_a_row_asks_and_what_answers_it(driver):
    answers = driver("trl_answers")
    assert answers.prompt_of(PAIR) == (PAIR["chosen"][:1], "yes")
    assert answers.pair_of({"chosen": "1 + 1 = 2", "rejected": "1 + 1 = 3"}) == (
        "1 + 1 = ", "2", "3",
    )  # fmt: skip
    marked = {"prompt": "1?", "completion": "no", "label": False}
    assert answers.prompt_of(marked) == ("1?", "")
    assert answers.prompt_of(marked | {"label": True}) == ("1?", "no")
    assert answers.text_of(PAIR["rejected"][1:]) == "no"


@pytest.fixture
def rows(driver, tmp_path):
    train, validation = tmp_path / "train.jsonl", tmp_path / "validation.jsonl"
    train.write_text(
        '{"prompt": "a", "answer": 1}\n{"prompt": "b", "answer": "two", "more": {"x": 1}}\n'
    )
    validation.write_text('{"prompt": [{"role": "user", "content": "c"}]}\n')
    return driver("trl_rewards").Rows({"train": train, "validation": validation})


def test_columns_reach_the_reward_as_they_are_in_the_data(rows):
    assert rows.columns([1, 0]) == {"answer": ["two", 1], "more": [{"x": 1}, None]}
    assert rows.columns([2]) == {"answer": [None], "more": [None]}
    assert rows.prompts([2, 1]) == [[{"role": "user", "content": "c"}], "b"]


def test_a_split_without_rows_is_refused(driver, tmp_path):
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(driver("job_files").JobError, match="no rows"):
        driver("trl_rewards").Rows({"train": tmp_path / "empty.jsonl"})


REWARD = """
WEIGHTS = {"format": 0.5}

def reward(prompts, completions, answer):
    return [{"right": float(c == a), "format": 1.0} for c, a in zip(completions, answer)]
"""


def test_a_reward_file_gives_totals_and_parts(driver, rows, tmp_path):
    (tmp_path / "reward.py").write_text(REWARD)
    rewards = driver("trl_rewards")
    made = rewards._load(tmp_path / "reward.py", rows)
    function = rewards.FileReward(made, rows)
    given = {rewards.ROW: [1, 1], "trainer_state": None, "completion_ids": []}
    said = [[{"role": "assistant", "content": "two"}], [{"role": "assistant", "content": "2"}]]
    assert function(prompts=["changed by TRL"] * 2, completions=said, **given) == [1.5, 0.5]
    assert function.parts == [{"right": 1.0, "format": 1.0}, {"right": 0.0, "format": 1.0}]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "def reward(prompts, completions, gold): return [1.0]",
            "columns that the data lack: gold",
        ),
        ("def score(prompts, completions): return [1.0]", "no function `reward`"),
        ("import nothing_of_this_name", "can't be imported"),
    ],
)
def test_a_reward_file_that_can_not_work_is_refused_before_the_model_loads(
    driver, rows, tmp_path, text, said
):
    (tmp_path / "reward.py").write_text(text)
    with pytest.raises(driver("job_files").JobError, match=said):
        driver("trl_rewards")._load(tmp_path / "reward.py", rows)


def test_a_mistake_inside_the_reward_is_one_line(driver, rows, tmp_path):
    (tmp_path / "reward.py").write_text("def reward(prompts, completions): return [1.0]")
    rewards = driver("trl_rewards")
    function = rewards.FileReward(rewards._load(tmp_path / "reward.py", rows), rows)
    with pytest.raises(driver("job_files").JobError, match="1 rewards for 2 completions"):
        function(prompts=["a", "b"], completions=["x", "y"], **{rewards.ROW: [0, 1]})


class Trainer:
    """What the log of rollouts looks at of a trainer."""

    def __init__(self, logging_steps):
        self.model = type("Model", (), {"training": True})()
        self.state = type("State", (), {"global_step": 0, "logging_steps": logging_steps})()


def test_rollouts_are_written_as_often_as_metrics_and_not_all_of_them(driver, tmp_path):
    samples = driver("trl_samples")
    log, trainer = samples.RolloutLog(), Trainer(logging_steps=2)
    many = [{"completion": str(n)} for n in range(samples.SAMPLES + 4)]
    for step in range(4):
        trainer.state.global_step = step
        log.add(trainer, many)
    trainer.model.training = False
    log.add(trainer, many[:10])
    log.add(trainer, many[:10])  # the second batch of the same evaluation
    folder = tmp_path / "attempt-0" / "samples"
    train = [json.loads(line) for line in (folder / "train.jsonl").open()]
    assert [row["s"] for row in train] == [1] * samples.SAMPLES + [3] * samples.SAMPLES
    validation = [json.loads(line) for line in (folder / "validation.jsonl").open()]
    assert [row["s"] for row in validation] == [3] * samples.SAMPLES


def test_a_completion_that_does_not_end_is_truncated(driver):
    samples = driver("trl_samples")
    trainer = Trainer(1)
    trainer.processing_class = type("Tokenizer", (), {"eos_token_id": 2, "pad_token_id": 0})()
    assert samples.row_of(trainer, "p", "x", [5, 2])["truncated"] is False
    assert samples.row_of(trainer, "p", "x", [5, 6]) == {
        "prompt": "p", "completion": "x", "length": 2, "truncated": True,
    }  # fmt: skip
