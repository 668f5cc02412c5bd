import os

import pytest

from starforge import layout
from starforge.runner.launch import PolicySpec, StreamSpec
from starforge.runner.limits import GIB, DiskWatch, StallWatch
from starforge.runner.tail import Tail

STREAMS = [StreamSpec(format=f, path=p) for f, p in layout.STREAMS]


@pytest.fixture
def disk(monkeypatch):
    """Make every file system look as large and as full as is said."""

    def say(free, total):
        info = os.statvfs_result((4096, 4096, total // 4096, free // 4096, free // 4096,
                                  0, 0, 0, 0, 255))  # fmt: skip
        monkeypatch.setattr("starforge.runner.limits.os.statvfs", lambda _: info)

    return say


@pytest.mark.parametrize(
    ("sizes", "policy", "found"),
    [
        ((GIB - 4096, 1000 * GIB), {}, True),
        ((GIB + 4096, 1000 * GIB), {}, False),  # 1 GiB is less than 2 % of it
        ((GIB // 50, 2 * GIB), {}, True),
        ((GIB // 20, 2 * GIB), {}, False),
        ((10 * GIB, 1000 * GIB), {"disk_reserve": 11.0 * GIB}, True),
        ((10 * GIB, 1000 * GIB), {"disk_reserve": 9.0 * GIB}, False),
        ((0, 1000 * GIB), {"disk_full": False}, False),
    ],
)
def test_the_reserve(tmp_path, disk, sizes, policy, found):
    disk(*sizes)
    assert (DiskWatch(tmp_path, PolicySpec(**policy)).look() is not None) is found


def test_a_folder_that_is_gone_is_no_full_disk(tmp_path):
    assert DiskWatch(tmp_path / "gone", PolicySpec(disk_reserve=1e18)).look() is None


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def stall(tmp_path):
    clock = Clock()
    (tmp_path / "logs").mkdir()
    (tmp_path / "metrics").mkdir()

    def look(after, limit=60.0):
        clock.now += after
        return watch.look()

    watch = StallWatch(tmp_path, Tail(tmp_path, STREAMS), PolicySpec(stalled=60.0), clock)
    return look


def test_it_is_stalled_after_the_time_without_a_sign(stall):
    assert stall(100) is None  # the first look only begins to count
    assert stall(59) is None
    assert stall(2) == 61


@pytest.mark.parametrize(
    ("file", "is_sign"),
    [
        ("logs/trainer-0.log", True),
        ("metrics/report-0-7.jsonl", True),
        ("progress.json", True),
        ("metrics/system.jsonl", False),
        ("elsewhere.txt", False),
    ],
)
def test_what_is_a_sign_of_progress(stall, tmp_path, file, is_sign):
    stall(0)
    stall(59)
    (tmp_path / file).write_text("x")
    assert (stall(2) is None) is is_sign


def test_it_is_off_by_default(tmp_path):
    clock = Clock()
    watch = StallWatch(tmp_path, Tail(tmp_path, STREAMS), PolicySpec(), clock)
    watch.look()
    clock.now += 1e9
    assert watch.look() is None
