import os
import random
from pathlib import Path

import pytest

from starforge.errors import StarForgeError
from starforge.server.store.segments import SEGMENT, StreamFiles, stream_name

JOB, PATH = "0123456789", "logs/trainer-0.log"
DATA = random.Random(5).randbytes(SEGMENT * 2 + 12_345)


@pytest.fixture
def filled(files):
    for start in range(0, len(DATA), 1_500_000):
        files.write(JOB, 0, PATH, start, DATA[start : start + 1_500_000])
    return files


def names(files):
    return sorted(path.name for path in files.root.rglob("*") if path.is_file())


def test_bytes_come_back_sealed_or_not(filled):
    for sealed in (False, True):
        if sealed:
            filled.seal(JOB, 0, PATH, len(DATA))
        assert filled.read(JOB, 0, PATH, 0, len(DATA)) == DATA
        across = (SEGMENT - 10, SEGMENT + 10)
        assert filled.read(JOB, 0, PATH, *across) == DATA[slice(*across)]
        assert filled.read(JOB, 0, PATH, 5, 5) == b""
    assert names(filled) == ["00000000.zst", "00000001.zst", "00000002.raw"]


def test_text_takes_less_room_once_sealed(files):
    files.write(JOB, 0, PATH, 0, b"step 1 loss 0.5\n" * (SEGMENT // 16))
    files.seal(JOB, 0, PATH, SEGMENT)
    (path,) = (path for path in files.root.rglob("*") if path.is_file())
    assert path.stat().st_size < SEGMENT / 50


def test_only_what_the_database_has_is_sealed(filled):
    filled.seal(JOB, 0, PATH, 2 * SEGMENT - 1)
    assert names(filled) == ["00000000.zst", "00000001.raw", "00000002.raw"]


def test_where_sealing_fails_the_segment_stays(filled):
    (raw,) = filled.root.rglob("00000001.raw")
    raw.unlink()
    raw.mkdir()  # cannot be read as a file
    filled.seal(JOB, 0, PATH, len(DATA))
    assert names(filled) == ["00000000.raw", "00000002.raw"]
    assert filled.read(JOB, 0, PATH, 0, 100) == DATA[:100]


def test_a_write_after_a_crash_replaces_the_surplus(files):
    files.write(JOB, 0, PATH, 0, b"kept")
    files.write(JOB, 0, PATH, 4, b"never committed")
    files.write(JOB, 0, PATH, 4, b"new")
    assert files.read(JOB, 0, PATH, 0, 100) == b"keptnew"


def test_a_shortened_file_is_noticed(filled):
    assert filled.has(JOB, 0, PATH, len(DATA))
    assert filled.held(JOB, 0, PATH) == len(DATA)
    assert not filled.has(JOB, 0, PATH, len(DATA) + 1)
    filled.seal(JOB, 0, PATH, SEGMENT)
    (second,) = filled.root.rglob("00000001.raw")
    os.truncate(second, 100)
    assert filled.held(JOB, 0, PATH) == SEGMENT + 100
    assert filled.has(JOB, 0, PATH, SEGMENT)
    assert not filled.has(JOB, 0, PATH, SEGMENT * 2)


def test_missing_and_damaged_segments_are_named(filled):
    filled.seal(JOB, 0, PATH, len(DATA))
    (first,) = filled.root.rglob("00000000.zst")
    (second,) = filled.root.rglob("00000001.zst")
    content = bytearray(first.read_bytes())
    content[len(content) // 2] ^= 0xFF
    first.write_bytes(content)
    second.unlink()
    for at, code in ((0, "stream/damaged"), (SEGMENT, "stream/missing")):
        with pytest.raises(StarForgeError) as caught:
            filled.read(JOB, 0, PATH, at, at + 1)
        assert caught.value.code == code


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "../x", "a/../../x", "a//b", "./a", "a/", ".", "a\0b", "a\nb", "x" * 5000],
)
def test_paths_that_lead_elsewhere_are_refused(path):
    with pytest.raises(StarForgeError) as caught:
        stream_name(path)
    assert caught.value.code == "stream/path"


def test_paths_never_collide():
    long = ["d" * 250 + "/1", "d" * 250 + "/2", "é" * 80, "é" * 81, "/".join(["e" * 200] * 20)]
    paths = ["a/b", "a%2Fb", "a", "a.raw", "样本/甲.jsonl", "a b", "..a", *long]
    found = {stream_name(path) for path in paths}
    assert len(found) == len(paths)
    assert not any("/" in name or name in (".", "..") for name in found)
    assert max(len(name.encode()) for name in found) < 255


def test_jobs_are_deleted_apart(files):
    other = "9876543210"
    for job in (JOB, other):
        files.write(job, 0, PATH, 0, b"x")
    files.delete(JOB)
    files.delete(JOB)
    assert files.read(other, 0, PATH, 0, 1) == b"x"
    assert [path.name for path in files.root.iterdir()] == [other]
    with pytest.raises(ValueError, match="not a job id"):
        files.delete("..")


def test_a_place_that_cannot_be_written_is_named():
    with pytest.raises(StarForgeError) as caught:
        StreamFiles(Path("/proc/starforge")).write(JOB, 0, PATH, 0, b"x")
    assert "/proc/starforge" in caught.value.message.en
