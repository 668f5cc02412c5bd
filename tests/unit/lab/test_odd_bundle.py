"""Names in bundles that clash, limits from the environment, folders and headers that flood."""

import gzip
import io
import tarfile

import pytest

from starforge.errors import StarForgeError
from starforge.lab.bundle import pack, unpack
from starforge.lab.experiment import load_experiment
from starforge.lab.files import collect_files, own_files
from starforge.lab.limits import ENV, Limits
from starforge.lab.names import Names, is_plain_name


def tar(*members, mode=0o644):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.mode = mode
            if content is None:
                info.type = tarfile.DIRTYPE
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return raw.getvalue()


@pytest.fixture
def open_(tmp_path):
    def unpacked(data, **limits):
        (tmp_path / "b").write_bytes(data)
        return unpack(tmp_path / "b", tmp_path / "there", Limits(**limits) if limits else None)

    return unpacked


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a.py", "A.py"),
        ("Data/x", "data/y"),
        ("caf\u00e9", "cafe\u0301"),
        ("STRASSE", "straße"),
        ("a", "a/b"),
        ("a/b", "a"),
        ("a", "a"),
        ("\u212b", "\u00e5"),  # the sign for angstrom, and the letter
    ],
)
def test_names_that_clash(open_, tmp_path, first, second):
    names = Names()
    assert names.add(first) is None
    assert names.add(second) is not None
    with pytest.raises(StarForgeError) as caught:
        open_(tar((first, b""), (second, b"")))
    assert caught.value.code == "bundle/unsafe"
    assert [p.name for p in tmp_path.iterdir()] == ["b"]


def test_names_that_do_not_clash(open_):
    members = [
        ("a/x", b"1"),
        ("a/y", b"2"),
        ("ab", b"3"),
        ("数据", b"4"),
        ("d", None),
        ("d/e", b""),
    ]
    assert open_(tar(*members)) == ["a/x", "a/y", "ab", "d/e", "数据"]


@pytest.mark.parametrize(
    "name",
    ["", "/a", "a/../b", "..", ".", "a//b", "./a", "a/", "a\\b", "a\nb", "a\x7f", "a\x85b",
     "x" * 256,
     "/".join(["y" * 200] * 6), "\udcff"],
)  # fmt: skip
def test_names_that_are_not_plain(name):
    assert not is_plain_name(name)


@pytest.mark.parametrize("name", ["a", "a/b/c", "数据 (1).txt", "x" * 255, ".hidden", "a..b", "🚀"])
def test_plain_names(name):
    assert is_plain_name(name)


def test_a_clash_is_found_before_anything_is_sent(write, tmp_path):
    made, _ = load_experiment(
        write("method: mini/train\n", files={"Train.py": "", "train.py": "", "ok.py": ""})
    )
    files, findings = collect_files(made)
    (finding,) = findings
    assert finding.code == "bundle/file"
    assert finding.at.file == "train.py"
    assert "Train.py" in finding.message.en
    assert [one.name for one in files] == ["Train.py", "experiment.yaml", "ok.py"]


def test_folders_count_too(open_):
    folders = tar(*((f"d{n}", None) for n in range(50)))
    with pytest.raises(StarForgeError) as caught:
        open_(folders, files=10)
    assert caught.value.code == "bundle/too-large"
    assert ENV["files"] in caught.value.message.en


def test_tens_of_thousands_of_files_stop_at_the_limit(open_, tmp_path):
    data = tar(*((f"d/{n}", b"") for n in range(20_000)))
    with pytest.raises(StarForgeError, match="more than 5000 files") as caught:
        open_(data)
    assert caught.value.status == 413
    assert [p.name for p in tmp_path.iterdir()] == ["b"]


def test_a_long_name_needs_no_large_header(open_):
    name = "/".join(["d" * 100] * 10)
    assert open_(tar((name, b"x"))) == [name]


@pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.GNUTYPE_LONGNAME])
def test_a_header_that_would_fill_the_memory(open_, kind):
    raw = io.BytesIO()
    with gzip.GzipFile(fileobj=raw, mode="wb") as zipped:
        info = tarfile.TarInfo("x")
        info.type, info.size = kind, 100 << 20
        zipped.write(info.tobuf())
        zipped.write(b"0" * (100 << 20))
    with pytest.raises(StarForgeError, match="header") as caught:
        open_(raw.getvalue())
    assert caught.value.code == "bundle/too-large"


def test_mode_bits_are_only_those_that_matter(open_, tmp_path):
    open_(tar(("tool", b"x"), mode=0o6777))
    assert (tmp_path / "there" / "tool").stat().st_mode & 0o7777 == 0o755


def test_a_file_without_any_permission_is_readable(open_, tmp_path):
    open_(tar(("f", b"x"), mode=0))
    assert (tmp_path / "there" / "f").stat().st_mode & 0o7777 == 0o644


def test_limits_come_from_the_environment(write, monkeypatch, open_):
    made, _ = load_experiment(write("method: mini/train\n", files={"a": "12345", "b": ""}))
    data = pack(own_files(made)).data
    for name, value, words in (
        (ENV["files"], "2", "more than 2 files"),
        (ENV["single"], "4", "too large"),
        (ENV["total"], "10", "together"),
    ):
        monkeypatch.setenv(name, value)
        for work in (lambda: own_files(made), lambda: open_(data)):
            with pytest.raises(StarForgeError, match=words) as caught:
                work()
            assert name in caught.value.message.zh
        monkeypatch.delenv(name)
    monkeypatch.setenv(ENV["files"], "100")
    assert Limits.from_env() == Limits(files=100)
    assert open_(data) == ["a", "b", "experiment.yaml"]


@pytest.mark.parametrize("value", ["0", "-1", "many", "1e3", "9" * 30])
def test_a_limit_that_is_no_number_is_said(monkeypatch, value):
    monkeypatch.setenv(ENV["total"], value)
    with pytest.raises(StarForgeError, match=ENV["total"]):
        Limits.from_env()
