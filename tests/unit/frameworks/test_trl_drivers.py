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
