import gzip
import io
import os
import tarfile

import pytest

from starforge.errors import StarForgeError
from starforge.lab.bundle import pack, unpack
from starforge.lab.experiment import load_experiment
from starforge.lab.files import code_files, file_digest, own_files
from starforge.lab.ignore import Ignore
from starforge.lab.limits import Limits


@pytest.fixture
def experiment(write):
    def experiment(files, text="method: mini/train\n"):
        made, findings = load_experiment(write(text, files=files))
        assert findings == []
        return made

    return experiment


def names(files):
    return [one.name for one in files]


def test_own_files_leave_inputs_caches_and_ignored_files_at_home(experiment):
    made = experiment(
        {
            "train.py": "", "data/train.jsonl": "{}", "data/notes.txt": "", "base/config.json": "",
            "__pycache__/x.pyc": "", ".git/HEAD": "", "runs/a/b.txt": "", "deep/runs/c.txt": "",
            "log.txt": "", "keep/log.txt": "", ".sfignore": "*.txt\n!keep/log.txt\n",
        },
        "method: mini/train\nmodel: base\ndata: {train: data/train.jsonl}\n",
    )  # fmt: skip
    found = own_files(made)
    assert names(found) == [".sfignore", "experiment.yaml", "keep/log.txt", "train.py"]
    assert [f.path for f in code_files(found)] == [
        "code/.sfignore", "code/keep/log.txt", "code/train.py",
    ]  # fmt: skip


def test_named_benchmarks_of_the_lab_travel_along(experiment, tmp_path):
    for name in ("mine", "other"):
        (tmp_path / "benchmarks" / name).mkdir(parents=True)
        (tmp_path / "benchmarks" / name / "pack.yaml").write_text(name)
    made = experiment({}, "method: mini/train\nparams: {benchmarks: [mine, x]}\n")
    assert names(own_files(made, tmp_path)) == ["benchmarks/mine/pack.yaml", "experiment.yaml"]
    assert names(own_files(made, None)) == ["experiment.yaml"]
    own = made.folder / "benchmarks/mine"
    own.mkdir(parents=True)
    (own / "own.yaml").write_text("")
    assert "benchmarks/mine/own.yaml" in names(own_files(made, tmp_path))
    assert "benchmarks/mine/pack.yaml" not in names(own_files(made, tmp_path))


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(files=2), "more than 2 files"),
        (Limits(single=50), "big.txt is too large"),
        (Limits(total=60, single=1000), "together"),
    ],
)
def test_limits(experiment, limits, words):
    made = experiment({"big.txt": "x" * 60, "small.txt": "x"})
    with pytest.raises(StarForgeError, match=words) as caught:
        own_files(made, limits=limits)
    assert caught.value.code == "bundle/too-large"
    assert ".sfignore" in caught.value.hint.zh


def test_files_that_cannot_travel(experiment):
    made = experiment({"a.txt": ""})
    os.mkfifo(made.folder / "pipe")
    with pytest.raises(StarForgeError, match="pipe can't be sent"):
        own_files(made)
    (made.folder / "pipe").unlink()
    (made.folder / "gone").symlink_to("nowhere")
    with pytest.raises(StarForgeError, match="gone can't be sent"):
        own_files(made)
    (made.folder / "gone").unlink()
    (made.folder / "out").symlink_to("/tmp")
    with pytest.raises(StarForgeError, match="link to a folder"):
        own_files(made)
    (made.folder / "out").unlink()
    (made.folder / "line\nbreak").write_text("")
    with pytest.raises(StarForgeError, match="unusual characters"):
        own_files(made)


def test_a_link_to_a_file_is_packed_as_the_file(experiment, tmp_path):
    made = experiment({"a.txt": ""})
    (tmp_path / "shared.py").write_text("shared")
    (made.folder / "shared.py").symlink_to(tmp_path / "shared.py")
    data = tmp_path / "b"
    data.write_bytes(pack(own_files(made)).data)
    unpack(data, tmp_path / "there")
    assert (tmp_path / "there/shared.py").read_text() == "shared"
    assert not (tmp_path / "there/shared.py").is_symlink()


def test_packing_is_deterministic_and_round_trips(experiment, tmp_path):
    made = experiment({"b/数据.txt": "二", "a.sh": "echo\n", "empty": ""})
    (made.folder / "a.sh").chmod(0o755)
    first = pack(own_files(made))
    os.utime(made.folder / "a.sh", (1, 1))
    second = pack(own_files(made))
    assert first.data == second.data
    archive = tmp_path / "bundle.tar.gz"
    archive.write_bytes(first.data)
    assert file_digest(archive) == first.sha256
    target = tmp_path / "there/exp"
    assert unpack(archive, target) == ["a.sh", "b/数据.txt", "empty", "experiment.yaml"]
    assert (target / "b/数据.txt").read_text("utf-8") == "二"
    assert os.access(target / "a.sh", os.X_OK)
    assert not os.access(target / "empty", os.X_OK)
    again, _ = load_experiment(target)
    assert pack(own_files(again)).data == first.data


def tar(*members):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as archive:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type = kind
            info.size = len(content) if kind == tarfile.REGTYPE else 0
            info.linkname = content.decode() if kind != tarfile.REGTYPE else ""
            archive.addfile(info, io.BytesIO(content))
    return raw.getvalue()


UNSAFE = [
    tar(("/etc/x", tarfile.REGTYPE, b"")),
    tar(("../x", tarfile.REGTYPE, b"")),
    tar(("a/../../x", tarfile.REGTYPE, b"")),
    tar(("a\\x", tarfile.REGTYPE, b"")),
    tar(("link", tarfile.SYMTYPE, b"/etc/passwd")),
    tar(("link", tarfile.LNKTYPE, b"/etc/passwd")),
    tar(("null", tarfile.CHRTYPE, b"")),
    tar(("pipe", tarfile.FIFOTYPE, b"")),
    tar(("a", tarfile.REGTYPE, b"1"), ("a", tarfile.REGTYPE, b"2")),
    tar(("a", tarfile.REGTYPE, b"1"), ("a/b", tarfile.REGTYPE, b"2")),
    tar(("big", tarfile.REGTYPE, b"x" * 2000)),
    tar(*((f"f{n}", tarfile.REGTYPE, b"") for n in range(20))),
    b"not an archive",
    b"",
    gzip.compress(b"no tar inside" * 100),
    tar(("a", tarfile.REGTYPE, os.urandom(900)))[:-300],
    gzip.compress(b"\0" * (8 << 20)),
]


@pytest.mark.parametrize("data", UNSAFE)
def test_nothing_is_unpacked_from_a_bad_archive(tmp_path, data):
    source = tmp_path / "bundle"
    source.write_bytes(data)
    folder = tmp_path / "into"
    folder.mkdir()
    try:
        names = unpack(source, folder / "exp", Limits(files=10, total=4000, single=1000))
    except StarForgeError as error:
        assert error.code.startswith("bundle/")
        assert list(folder.iterdir()) == []
    else:
        assert names == []  # a stream of zeros is an empty archive to tar
        assert list((folder / "exp").iterdir()) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bundle", "into"]


def test_a_bomb_is_stopped_while_it_is_read(tmp_path):
    """A small file that unpacks to a header of gigabytes must not be read whole."""
    raw = io.BytesIO()
    with gzip.GzipFile(fileobj=raw, mode="wb") as zipped:
        info = tarfile.TarInfo("x")
        info.type = tarfile.XHDTYPE
        info.size = 1 << 30
        zipped.write(info.tobuf())
        for _ in range(64):
            zipped.write(b"0" * (1 << 20))
    source = tmp_path / "bomb"
    source.write_bytes(raw.getvalue())
    with pytest.raises(StarForgeError) as caught:
        unpack(source, tmp_path / "exp", Limits(files=10, total=4000, single=1000))
    assert caught.value.code == "bundle/too-large"


def test_an_existing_folder_is_never_touched(tmp_path, experiment):
    archive = tmp_path / "bundle"
    archive.write_bytes(pack(own_files(experiment({"a": ""}))).data)
    (tmp_path / "there").mkdir()
    with pytest.raises(StarForgeError, match="already exists"):
        unpack(archive, tmp_path / "there")


@pytest.mark.parametrize(
    ("pattern", "path", "is_dir", "ignored"),
    [
        ("*.log", "a/b.log", False, True),
        ("*.log", "a/b.logs", False, False),
        ("/top.txt", "top.txt", False, True),
        ("/top.txt", "a/top.txt", False, False),
        ("a/b", "a/b", False, True),
        ("a/b", "x/a/b", False, False),
        ("cache/", "x/cache", True, True),
        ("cache/", "x/cache", False, False),
        ("**/tmp/*", "x/y/tmp/z", False, True),
        ("a/**/z", "a/z", False, True),
        ("a?c", "abc", False, True),
        ("a?c", "a/c", False, False),
        ("# no", "# no", False, False),
        ("", "a", False, False),
        ("[ab]", "a", False, False),
        ("*.py\n!keep.py", "keep.py", False, False),
    ],
)
def test_ignore_patterns(pattern, path, is_dir, ignored):
    assert Ignore(pattern).matches(path, is_dir=is_dir) is ignored
