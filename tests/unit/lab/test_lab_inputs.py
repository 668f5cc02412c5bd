import subprocess

import pytest

from starforge.errors import StarForgeError
from starforge.lab.inputs import LocalResolver, folder_digest, parse_data, parse_model, rows_digest
from starforge.lab.lab import find_experiment
from starforge.lab.source import source_state


@pytest.fixture
def place(tmp_path):
    lab = tmp_path / "lab"
    folder = lab / "experiments/one"
    (folder / "data").mkdir(parents=True)
    (lab / "starforge.yaml").write_text("name: lab\n")
    (lab / "models/base").mkdir(parents=True)
    (lab / "models/base/config.json").write_text("{}")
    (lab / "models/base/model.safetensors").write_bytes(b"w" * 10)
    (folder / "data/train.jsonl").write_bytes(b'{"a": 1}\n\n  \n{"a": 2}')
    return folder


@pytest.mark.parametrize(
    ("text", "kind", "location"),
    [
        ("starforge:tiny", "builtin", "starforge:tiny"),
        ("job:k3f9a2", "job", "k3f9a2"),
        ("model:name@2", "registry", "name@2"),
        ("model:name", "registry", "name"),
        ("Qwen/Qwen3-4B", "hub", "Qwen/Qwen3-4B"),
        ("gpt2", "hub", "gpt2"),
        ("models/base", "path", "models/base"),
        ("models/misspelt", "path", "models/misspelt"),
        ("./x", "path", "./x"),
        ("/abs/x", "path", "/abs/x"),
        ("a/b/c", "path", "a/b/c"),
        ("模型/基座", "path", "模型/基座"),
    ],
)
def test_model_references(place, text, kind, location):
    made = parse_model(text, place, place.parents[1])
    assert (made.kind, made.location) == (kind, location)


@pytest.mark.parametrize(
    "text", ["", " ", "job:", "job:a b", "model:", "model:a@", "starforge:huge", "s3://b/x", "hf:x"]
)
def test_malformed_model_references(place, text):
    assert parse_model(text, place, None) is None
    finding = LocalResolver.for_folder(place).model(text)
    assert finding.code == "input/reference"
    assert "job:ID" in finding.hint.zh


def test_data_references():
    assert parse_data("dataset:a@1").kind == "registry"
    assert parse_data("data/x.jsonl").kind == "path"
    assert parse_data("C:/x.jsonl").kind == "path"
    for text in ("", "dataset:", "dataset:a@", "https://host/x", "hf:x"):
        assert parse_data(text) is None


def test_local_data(place):
    source = LocalResolver.for_folder(place).data("data/train.jsonl", "train")
    assert source.ref.kind == "blob"
    assert source.ref.location == source.ref.digest
    assert (source.ref.name, source.ref.file, source.ref.rows) == ("data.train", "train.jsonl", 2)
    assert [number for number, _ in source.lines()] == [1, 4]
    symbolic = LocalResolver.for_folder(place).data("dataset:a@1", "train")
    assert (symbolic.path, symbolic.ref.location) == (None, "a@1")
    assert list(symbolic.lines()) == []


def test_local_model(place):
    made = LocalResolver.for_folder(place).model("models/base")
    assert made.kind == "path"
    assert made.location == str((place.parents[1] / "models/base").resolve())
    assert made.digest == folder_digest(place.parents[1] / "models/base")
    assert LocalResolver.for_folder(place).model("org/name").digest is None


def test_what_is_not_there(place):
    resolver = LocalResolver.for_folder(place)
    missing = resolver.data("data/tarin.jsonl", "train")
    assert missing.code == "input/not-found"
    assert str(place / "data") in missing.message.en
    assert str(place.parents[1] / "data") in missing.message.zh
    assert resolver.data("data", "train").code == "input/not-a-file"
    assert resolver.model("data/train.jsonl").code == "input/not-a-file"
    assert resolver.model("./nothing").code == "input/not-found"


def test_digests_follow_contents(place, tmp_path):
    folder = place.parents[1] / "models/base"
    before = folder_digest(folder)
    assert folder_digest(folder) == before
    (folder / ".cache").write_text("x")
    assert folder_digest(folder) == before
    (folder / "config.json").write_text("[]")
    assert folder_digest(folder) != before
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    assert rows_digest(empty)[1] == 0


def git(folder, *args):
    identity = ["-c", "user.name=x", "-c", "user.email=x@example.org"]
    subprocess.run(["git", "-C", folder, *identity, *args], check=True, capture_output=True)


def test_git_state(place):
    assert source_state(place) is None
    lab = place.parents[1]
    git(lab, "init", "-q", "-b", "main")
    state = source_state(place)
    assert (state.commit, state.branch, state.dirty) == (None, "main", True)
    git(lab, "add", ".")
    git(lab, "commit", "-q", "-m", "first")
    state = source_state(place)
    assert len(state.commit) == 40
    assert (state.dirty, state.diff, state.untracked) == (False, "", [])
    (place / "data/train.jsonl").write_text("changed\n")
    (place / "新.py").write_text("")
    (lab / "elsewhere").write_text("")
    state = source_state(place)
    assert state.dirty
    assert "+changed" in state.diff
    assert [name.rsplit("/", 1)[-1] for name in state.untracked] == ["新.py"]


def test_without_git(place, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert source_state(place) is None


@pytest.mark.parametrize("text", ["a\0b", "x" * 5000, "~nobody-by-this-name/x", "\n", "x/" * 3000])
def test_strange_paths_are_findings_not_tracebacks(place, text):
    resolver = LocalResolver.for_folder(place)
    assert resolver.data(text, "train").code.startswith("input/")
    assert resolver.model(text).code.startswith("input/")
    with pytest.raises(StarForgeError):
        find_experiment(text, place)
