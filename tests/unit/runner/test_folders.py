"""Folders of an attempt outside of its own are removed, and nothing else is."""

import os
import socket
import tempfile
from pathlib import Path

import pytest

from starforge import layout
from starforge.runner import folders, reap, shm


@pytest.fixture
def attempt(tmp_path):
    (tmp_path / "attempt").mkdir()

    def write(*paths):
        text = "".join(f"{path}\n" for path in paths)
        (tmp_path / "attempt" / layout.FOLDERS).write_text(text)
        return tmp_path / "attempt"

    return write


def test_what_is_written_down_goes(attempt, tmp_path):
    one = tmp_path / "sf-ray-1"
    (one / "session" / "logs").mkdir(parents=True)
    assert folders.remove(attempt(one, tmp_path / "sf-ray-2")) == [one]
    assert not one.exists()
    assert folders.remove(tmp_path / "attempt") == []


def test_a_socket_goes(attempt):
    with tempfile.TemporaryDirectory(prefix="t-", dir="/tmp") as short:
        path = Path(short) / "sf-1.sock"
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
            assert folders.remove(attempt(path)) == [path]
        assert not path.exists()


def test_a_pattern_takes_all_that_bear_the_name(attempt, tmp_path):
    for name in ("zmq-1-sf-ab-0", "zmq-2-sf-ab-1", "zmq-1-sf-cd-0", "zmq-1"):
        (tmp_path / name).mkdir()
    gone = folders.remove(attempt(tmp_path / "zmq-*-sf-ab-*", tmp_path / "zmq-*"))
    assert [path.name for path in gone] == ["zmq-1-sf-ab-0", "zmq-2-sf-ab-1"]
    assert (tmp_path / "zmq-1-sf-cd-0").exists()


@pytest.mark.skipif(not shm.PLACE.is_dir(), reason="no /dev/shm here")
def test_a_semaphore_goes(attempt):
    path = shm.PLACE / f"sem.mp-sf-test-{os.getpid()}-x"
    path.touch()
    try:
        assert folders.remove(attempt(path.with_name(f"sem.mp-sf-test-{os.getpid()}-*"))) == [path]
        assert not path.exists()
    finally:
        path.unlink(missing_ok=True)


def test_nothing_else_is_touched(attempt, tmp_path):
    real = tmp_path / "data"
    real.mkdir()
    (real / "file").write_text("")
    link, file = tmp_path / "sf-link", tmp_path / "sf-file"
    link.symlink_to(real)
    file.write_text("")
    relative = os.path.relpath(tmp_path / "sf-file")
    above = tmp_path / "attempt" / ".." / "sf-dir"
    (tmp_path / "sf-dir").mkdir()
    assert folders.remove(attempt(real, link, file, relative, above, "", "/sf-\0")) == []
    assert (real / "file").exists()
    assert (tmp_path / "sf-dir").exists()


def test_ending_a_lost_attempt_removes_them(attempt, tmp_path):
    one = tmp_path / "sf-ray-1"
    one.mkdir()
    assert reap.kill_tagged("no-such/0", attempt_dir=attempt(one)) == 0
    assert not one.exists()
