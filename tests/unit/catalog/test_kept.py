"""What the catalog keeps between processes is never stale, and never in the way."""

import math
import os
import threading
from pathlib import Path

import msgspec
import pytest

from starforge.catalog.kept import Kept, cache_folder, stamp


class Value(msgspec.Struct):
    name: str
    anything: object = None


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "data" / "recipes"
    folder.mkdir(parents=True)
    (folder / "sft.yaml").write_text("name: sft\n")
    return tmp_path / "data"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "cache" / "catalog"


def test_what_was_written_is_read_by_another(root, folder):
    value = Value("sft", {"a": [1, 2.5, None, True]})
    Kept(root, folder).write("trl/sft", value, Value)
    assert Kept(root, folder).read("trl/sft", Value) == value
    assert Kept(root, folder).read("trl/dpo", Value) is None
    assert [file.name for file in folder.iterdir()] == ["trl+sft.msgpack"]


def _touch(file):
    status = file.stat()
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns + 1))


def _same_size_and_time(file):
    status = file.stat()
    file.write_text(file.read_text().replace("sft", "dpo"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


CHANGES = {
    "another content": lambda root: (root / "recipes" / "sft.yaml").write_text("name: other\n"),
    "another time": lambda root: _touch(root / "recipes" / "sft.yaml"),
    "the same size and time": lambda root: _same_size_and_time(root / "recipes" / "sft.yaml"),
    "a new file": lambda root: (root / "glossary.yaml").write_text(""),
    "a file gone": lambda root: (root / "recipes" / "sft.yaml").unlink(),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_change_of_any_file_makes_it_void(root, folder, change):
    Kept(root, folder).write("trl/sft", Value("sft"), Value)
    change(root)
    assert Kept(root, folder).read("trl/sft", Value) is None


def test_the_code_that_reads_the_catalog_belongs_to_the_stamp(root):
    names = {Path(path).name for path, *_ in stamp(root)}
    assert {"join.py", "load.py", "models.py", "include.py", "kept.py"} <= names


def test_what_changes_while_it_is_made_is_not_taken_for_the_new(root, folder):
    kept = Kept(root, folder)
    assert kept.read("trl/sft", Value) is None
    (root / "recipes" / "sft.yaml").write_text("name: newer\n")
    kept.write("trl/sft", Value("made of the old"), Value)
    assert Kept(root, folder).read("trl/sft", Value) is None


def test_a_value_that_would_come_back_otherwise_is_not_kept(root, folder):
    for odd in (math.nan, (1, 2), {1: {2, 3}}, object()):
        Kept(root, folder).write("odd", Value("x", odd), Value)
    assert Kept(root, folder).read("odd", Value) is None


@pytest.mark.parametrize("damage", [b"", b"\x93\x00", b"not msgpack at all", b"\x92\x90\xa1x"])
def test_a_damaged_file_is_no_file(root, folder, damage):
    kept = Kept(root, folder)
    kept.write("trl/sft", Value("sft"), Value)
    (folder / "trl+sft.msgpack").write_bytes(damage)
    assert kept.read("trl/sft", Value) is None
    kept.write("trl/sft", Value("sft"), Value)
    assert kept.read("trl/sft", Value) == Value("sft")


def test_where_nothing_can_be_written_nothing_is_kept(root, tmp_path):
    (tmp_path / "file").write_text("in the way")
    kept = Kept(root, tmp_path / "file" / "below")
    kept.write("trl/sft", Value("sft"), Value)
    assert kept.read("trl/sft", Value) is None


def test_many_writers_leave_one_whole_file(root, folder):
    values = [Value("sft", "x" * 10_000 * n) for n in range(1, 9)]

    seen = []

    def work(value):
        for _ in range(20):
            Kept(root, folder).write("trl/sft", value, Value)
            seen.append(Kept(root, folder).read("trl/sft", Value))

    threads = [threading.Thread(target=work, args=(value,)) for value in values]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 160 and all(value in values for value in seen)
    assert Kept(root, folder).read("trl/sft", Value) in values
    assert [file.name for file in folder.iterdir()] == ["trl+sft.msgpack"]


def test_the_place_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "starforge"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert cache_folder() == tmp_path / "me" / ".cache" / "starforge"
