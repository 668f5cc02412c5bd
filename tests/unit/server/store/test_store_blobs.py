import hashlib
import os
import threading

import pytest

from starforge.errors import StarForgeError
from starforge.server.store.blobs import BlobStore

DATA = b"weights" * 1000
DIGEST = hashlib.sha256(DATA).hexdigest()
HOUR = 3600.0


@pytest.fixture
def blobs(tmp_path):
    return BlobStore(tmp_path / "blobs")


def files_of(blobs):
    return [path for path in blobs.root.rglob("*") if path.is_file()]


def test_content_is_kept_once(blobs):
    assert blobs.put([DATA[:10], DATA[10:]], digest=DIGEST) == DIGEST
    inode = blobs.path(DIGEST).stat().st_ino
    assert blobs.put([DATA]) == DIGEST
    assert blobs.path(DIGEST).stat().st_ino == inode
    assert files_of(blobs) == [blobs.root / DIGEST[:2] / DIGEST[2:4] / DIGEST]
    assert blobs.path(DIGEST).read_bytes() == DATA
    assert blobs.size(DIGEST) == len(DATA)
    assert blobs.path(DIGEST).stat().st_mode & 0o222 == 0


def broken():
    yield DATA
    raise ConnectionResetError("the client went away")


@pytest.mark.parametrize(
    ("chunks", "how", "error"),
    [
        ([DATA + b"!"], {"digest": DIGEST}, "blob/digest"),
        ([DATA, DATA], {"limit": len(DATA)}, "blob/too-large"),
        ([DATA], {"digest": "../../etc/passwd"}, "blob/digest"),
        ([DATA], {"digest": DIGEST.upper()}, "blob/digest"),
    ],
)
def test_bad_uploads_leave_nothing(blobs, chunks, how, error):
    with pytest.raises(StarForgeError) as caught:
        blobs.put(chunks, **how)
    assert caught.value.code == error
    assert files_of(blobs) == []


def test_a_broken_upload_leaves_nothing(blobs):
    with pytest.raises(ConnectionResetError):
        blobs.put(broken())
    assert files_of(blobs) == []


def test_what_is_not_there_is_named(blobs):
    assert not blobs.has(DIGEST)
    assert not blobs.discard(DIGEST, 0)
    for work in (blobs.size, blobs.path, blobs.use):
        with pytest.raises(StarForgeError) as caught:
            work(DIGEST)
        assert (caught.value.code, caught.value.status) == ("blob/not-found", 404)


def test_a_copy_may_be_changed_and_a_link_shares(blobs, tmp_path):
    blobs.put([DATA])
    linked, copied = tmp_path / "a" / "linked", tmp_path / "b" / "copied"
    copied.parent.mkdir()
    copied.write_bytes(b"old")
    blobs.materialize(DIGEST, linked)
    blobs.materialize(DIGEST, linked)
    blobs.materialize(DIGEST, copied, link=False)
    assert linked.stat().st_ino == blobs.path(DIGEST).stat().st_ino
    copied.write_bytes(b"new")
    assert linked.read_bytes() == DATA
    assert sorted(path.name for path in linked.parent.iterdir()) == ["linked"]
    assert sorted(path.name for path in copied.parent.iterdir()) == ["copied"]


def test_a_file_is_kept(blobs, tmp_path):
    source = tmp_path / "model.bin"
    source.write_bytes(DATA)
    assert blobs.put_file(source) == DIGEST
    with pytest.raises(StarForgeError) as caught:
        blobs.put_file(tmp_path / "missing.bin")
    assert "missing.bin" in caught.value.message.en


def test_leftovers_are_cleaned_when_old(blobs):
    blobs.put([DATA])
    left = blobs.root / "tmp" / "abc"
    left.write_bytes(b"half")
    assert blobs.clean() == 0
    os.utime(left, (0, 0))
    assert blobs.clean() == 1
    assert blobs.has(DIGEST)


def made_old(blobs, digest=DIGEST):
    os.utime(blobs.path(digest), (0, 0))


def test_discarded_content_is_gone_but_links_stay(blobs, tmp_path):
    blobs.put([DATA])
    blobs.materialize(DIGEST, tmp_path / "linked")
    made_old(blobs)
    assert list(blobs.unused(HOUR)) == [DIGEST]
    assert blobs.discard(DIGEST, HOUR)
    assert files_of(blobs) == []
    assert (tmp_path / "linked").read_bytes() == DATA


@pytest.mark.parametrize("asks", [lambda b: b.use(DIGEST), lambda b: b.put([DATA])])
def test_content_that_somebody_asked_for_stays(blobs, asks):
    blobs.put([DATA])
    made_old(blobs)
    (found,) = blobs.unused(HOUR)
    asks(blobs)  # between the look and the removal
    assert not blobs.discard(found, HOUR)
    assert list(blobs.unused(HOUR)) == []
    assert blobs.use(DIGEST) == len(DATA)


def test_who_asks_at_the_last_moment_finds_it_or_is_told_that_it_is_gone(blobs):
    """Threads ask while others remove: whoever was told that it is there keeps it."""
    for _ in range(50):
        blobs.put([DATA])
        made_old(blobs)
        start, told = threading.Barrier(2), []

        def ask(start=start, told=told):
            start.wait()
            try:
                told.append(blobs.use(DIGEST))
            except StarForgeError as error:
                told.append(error.code)

        thread = threading.Thread(target=ask)
        thread.start()
        start.wait()
        gone = blobs.discard(DIGEST, HOUR)
        thread.join()
        assert blobs.has(DIGEST) == (not gone)
        assert told[0] in ((len(DATA), "blob/not-found") if not gone else ("blob/not-found",))
        assert not list((blobs.root / "tmp").iterdir())


def test_only_content_is_taken_for_unused(blobs):
    blobs.put([DATA])
    made_old(blobs)
    note = blobs.path(DIGEST).with_name("README")
    note.write_text("kept by hand")
    os.utime(note, (0, 0))
    assert list(blobs.unused(HOUR)) == [DIGEST]


def test_uploads_of_the_same_content_at_once(blobs):
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(blobs.put([DATA] * 50))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(results)) == 1
    assert len(results) == 8
    assert len(files_of(blobs)) == 1
