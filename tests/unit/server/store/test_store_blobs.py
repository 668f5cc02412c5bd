import hashlib
import os
import threading

import pytest

from starforge.errors import StarForgeError
from starforge.server.store.blobs import BlobStore

DATA = b"weights" * 1000
DIGEST = hashlib.sha256(DATA).hexdigest()


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
    with blobs.open(DIGEST) as file:
        assert file.read() == DATA
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
    assert not blobs.delete(DIGEST)
    for work in (blobs.open, blobs.size, blobs.path):
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


def test_deleted_content_is_gone_but_links_stay(blobs, tmp_path):
    blobs.put([DATA])
    blobs.materialize(DIGEST, tmp_path / "linked")
    assert blobs.delete(DIGEST)
    assert not blobs.has(DIGEST)
    assert (tmp_path / "linked").read_bytes() == DATA


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
