"""Archives that are cut, forged or of another kind, and homes that are not empty."""

import io
import json
import tarfile

import pytest
import zstandard
from backup_support import refused

from starforge.server.backup.archive import ABOUT, MANIFEST
from starforge.server.backup.reader import read
from starforge.server.backup.restore import restore


def test_archives_that_are_not_whole_are_refused(core, add_job, backup, tmp_path):
    add_job()
    file, _ = backup()
    raw = file.read_bytes()
    bad = tmp_path / "bad"
    new = tmp_path / "new"
    cuts = [raw[: len(raw) * n // 7] for n in range(1, 7)]
    flipped = raw[:500] + bytes([raw[500] ^ 255]) + raw[501:]
    for data in (b"", b"hello" * 100, b"PK", *cuts, raw[:-1], flipped):
        bad.write_bytes(data)
        refused("backup/damaged", read, bad)
        refused("backup/damaged", restore, bad, new)
        assert not new.exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


ABOUT_JSON = {
    "format": 1, "version": "0", "created_at": 1.0, "home": "/h", "database": "sqlite",
    "outputs": True,
}  # fmt: skip


def forged(path, members, manifest=None, about=ABOUT_JSON):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w") as tar:
        for name, how in [(ABOUT, json.dumps(about).encode()), *members,
                          (MANIFEST, json.dumps(manifest or {}).encode())]:  # fmt: skip
            info = how if isinstance(how, tarfile.TarInfo) else tarfile.TarInfo(name)
            if isinstance(how, tarfile.TarInfo):
                tar.addfile(info)
            else:
                info.size = len(how)
                tar.addfile(info, io.BytesIO(how))
    path.write_bytes(zstandard.compress(raw.getvalue()))
    return path


def special(name, kind, target=""):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return name, info


@pytest.mark.parametrize(
    "members",
    [
        [("../evil", b"x")],
        [("/evil", b"x")],
        [("a/../../evil", b"x")],
        [special("dev", tarfile.CHRTYPE)],
        [special("hard", tarfile.LNKTYPE, "/etc/passwd")],
        [special("link", tarfile.SYMTYPE, ".."), ("link/evil", b"x")],
        [("a", b"x")],  # not in the manifest
    ],
)
def test_forged_archives_write_nothing_outside(tmp_path, members):
    file = forged(tmp_path / "f", members)
    new = tmp_path / "home" / "new"
    refused("backup/damaged", restore, file, new)
    assert not new.exists()
    assert not list(tmp_path.rglob("evil"))


def test_another_format_is_named(tmp_path):
    file = forged(tmp_path / "f", [], about={**ABOUT_JSON, "format": 9})
    assert "format 9" in refused("backup/format", read, file).message.en


def test_a_home_that_holds_something_is_left_alone(core, add_job, backup, tmp_path):
    file, _ = backup()
    busy = tmp_path / "busy"
    busy.mkdir()
    (busy / "precious").write_text("x")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "busy")
    taken = tmp_path / "taken"
    taken.write_text("a file")
    for home in (busy, link, taken, core.settings.home):
        refused("backup/home-not-empty", restore, file, home)
    assert [path.name for path in busy.iterdir()] == ["precious"]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert restore(file, empty).jobs == 0
