"""verl's checkpoints: the last whole one is found, older ones go only behind a newer one."""

import importlib
import sys
import zipfile
from pathlib import Path

import pytest

from starforge import frameworks

ROOT = Path(frameworks.__file__).parent
FOLDERS = (ROOT / "verl" / "drivers", ROOT / "_drivers")


@pytest.fixture
def verl(monkeypatch):
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield importlib.import_module("verl_checkpoints")
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", "").startswith(tuple(map(str, FOLDERS))):
            del sys.modules[name]


def saved(path):
    """A file in the form of torch.save."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", b"x" * 100)


def make(folder, step, *, roles=("actor",), ranks=2, track=True):
    """A whole checkpoint of reinforcement learning; without roles a supervised one."""
    place = folder / f"global_step_{step}"
    for part in [place / role for role in roles] or [place]:
        for kind in ("model", "optim", "extra_state"):
            for rank in range(ranks):
                saved(part / f"{kind}_world_size_{ranks}_rank_{rank}.pt")
    saved(place / ("data.pt" if roles else "data_0.pt"))
    if track:
        (folder / "latest_checkpointed_iteration.txt").write_text(str(step))
    return place


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_dir())


def test_the_newest_is_the_one_that_the_tracker_names(verl, tmp_path):
    assert verl.newest(tmp_path) is None
    two = make(tmp_path, 2)
    make(tmp_path, 4, track=False)  # was being written
    assert verl.newest(tmp_path) == two
    (tmp_path / verl.TRACKER).write_text("6")
    assert verl.newest(tmp_path) is None


@pytest.mark.parametrize("roles", [(), ("actor",), ("actor", "critic")])
def test_a_whole_one_is_resumed(verl, tmp_path, roles):
    make(tmp_path, 2, roles=roles)
    newest = make(tmp_path, 10, roles=roles)
    assert verl.ready_to_resume(tmp_path) == newest


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("actor/model_world_size_2_rank_1.pt", "the weights of rank 1 are missing"),
        ("actor/model_world_size_*", "the weights are missing"),
        ("critic/model_world_size_*", "the weights are missing"),
        ("data.pt", "the state of the data is missing"),
    ],
)
def test_what_is_missing_is_told_and_the_one_before_taken(verl, tmp_path, capsys, file, problem):
    before, last = (make(tmp_path, step, roles=("actor", "critic")) for step in (2, 4))
    for path in last.glob(file):
        path.unlink()
    assert verl.ready_to_resume(tmp_path) == before
    assert f"checkpoint global_step_4 is not whole ({problem})" in capsys.readouterr().err
    assert verl.tracked(tmp_path) == 2


def test_what_is_missing_is_told_in_chinese_too(verl, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("SF_LANG", "zh")
    make(tmp_path, 2)
    (make(tmp_path, 4) / "actor" / "model_world_size_2_rank_1.pt").unlink()
    assert verl.ready_to_resume(tmp_path).name == "global_step_2"
    said = capsys.readouterr().err
    assert "检查点 global_step_4 不完整（缺少 rank 1 的权重），改用更早的一个" in said


def test_a_file_that_was_cut_is_damage(verl, tmp_path):
    last = make(tmp_path, 4)
    file = last / "actor" / "optim_world_size_2_rank_0.pt"
    file.write_bytes(file.read_bytes()[:60])
    assert verl.damage(last) == "optim_world_size_2_rank_0.pt is damaged"
    assert verl.ready_to_resume(tmp_path) is None
    assert not (tmp_path / verl.TRACKER).exists()  # verl would fail on it


@pytest.mark.parametrize("text", ["", "7x"])
def test_a_tracker_that_was_cut_is_mended(verl, tmp_path, text):
    last = make(tmp_path, 4)
    (tmp_path / verl.TRACKER).write_text(text)
    assert verl.ready_to_resume(tmp_path) == last
    assert verl.tracked(tmp_path) == 4


def test_what_the_tracker_does_not_name_yet_is_not_taken(verl, tmp_path):
    before = make(tmp_path, 2)
    make(tmp_path, 4, track=False)
    assert verl.ready_to_resume(tmp_path) == before


def test_no_checkpoint_at_all(verl, tmp_path):
    assert verl.ready_to_resume(tmp_path) is None
    assert verl.ready_to_resume(tmp_path / "none") is None


def test_only_the_last_few_stay(verl, tmp_path):
    for step in (2, 4, 6, 8):
        make(tmp_path, step)
    make(tmp_path, 10, track=False)  # being written: neither counted nor touched
    verl.tidy(tmp_path, 2)
    assert names(tmp_path) == ["global_step_10", "global_step_6", "global_step_8"]
    verl.tidy(tmp_path, 1)
    assert names(tmp_path) == ["global_step_10", "global_step_8"]


@pytest.mark.parametrize("tracker", [None, "", "12"])
def test_nothing_goes_while_no_newest_is_known(verl, tmp_path, tracker):
    for step in (2, 4):
        make(tmp_path, step, track=False)
    if tracker is not None:
        (tmp_path / verl.TRACKER).write_text(tracker)
    verl.tidy(tmp_path, 1)
    assert names(tmp_path) == ["global_step_2", "global_step_4"]


@pytest.mark.parametrize("keep", [None, 0, -1])
def test_without_a_limit_all_stay(verl, tmp_path, keep):
    for step in (2, 4, 6):
        make(tmp_path, step)
    verl.tidy(tmp_path, keep)
    assert len(names(tmp_path)) == 3


def test_what_was_half_deleted_goes_at_the_next_look(verl, tmp_path):
    make(tmp_path, 4)
    (tmp_path / ".gone-global_step_2" / "actor").mkdir(parents=True)
    assert verl.ready_to_resume(tmp_path).name == "global_step_4"
    verl.tidy(tmp_path, 1)
    assert names(tmp_path) == ["global_step_4"]


def test_a_new_start_moves_old_ones_away(verl, tmp_path):
    folder = tmp_path / "checkpoints"
    verl.set_aside(folder)
    make(folder, 4)
    verl.set_aside(folder)
    (aside,) = tmp_path.iterdir()
    assert aside.name.startswith("checkpoints-before-")
    assert names(aside) == ["global_step_4"]
