"""A server notices that its home is gone."""

import threading
from pathlib import Path

from starforge.server.home_watch import HomeWatch


def watch(file: Path) -> tuple[HomeWatch, threading.Event]:
    gone = threading.Event()
    made = HomeWatch(file, gone.set, every=0.01)
    made.start()
    return made, gone


def test_a_home_that_stays_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "server.lock"
    file.touch()
    made, gone = watch(file)
    file.write_text("changed, but the same file", "utf-8")
    assert not gone.wait(0.2)
    made.close()


def test_a_deleted_home_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "server.lock"
    file.touch()
    _, gone = watch(file)
    file.unlink()
    assert gone.wait(5)


def test_another_home_in_the_same_place_is_not_ours(tmp_path: Path) -> None:
    file, other = tmp_path / "server.lock", tmp_path / "other"
    file.touch()
    other.touch()
    _, gone = watch(file)
    other.rename(file)
    assert gone.wait(5)
