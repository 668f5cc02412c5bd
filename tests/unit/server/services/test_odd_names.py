"""What jobs may be called, and what is made of names that they may not have."""

import json

import pytest

from starforge.cli.output import visible
from starforge.errors import StarForgeError
from starforge.server.services import importer
from starforge.server.services.job_names import require_name, usable_name
from starforge.server.store import jobs
from starforge.wire.jobs import ImportRequest

BAD = [
    ("", "empty"), ("  ", "empty"), ("..", "folder"), ("x" * 201, "more than 200"),
    (" x", "space"), ("a/b", "slash"), ("a\n", "space"), ("a\nb", "control"),
    ("\x1b[2J", "control"), ("a\u202eb", "control"), ("a\u2029b", "control"),
    ("\udcffx", "control"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "why"), BAD)
def test_a_bad_name_is_refused_with_the_reason(name, why):
    with pytest.raises(StarForgeError) as caught:
        require_name(name)
    assert caught.value.code == "job/name"
    assert why in caught.value.message.en
    for text in (caught.value.message.en, caught.value.message.zh):
        assert text.isprintable()
        assert len(text) < 600


@pytest.mark.parametrize("name", [name for name, _ in BAD])
def test_any_text_gives_a_usable_name(name):
    assert require_name(usable_name(name))


@pytest.mark.parametrize("name", ["训练 1", "👨‍👩‍👧", "עברית", "<b>", "a" * 200, "'\"`$(x)"])
def test_a_good_name_stays(name):
    assert require_name(name) == usable_name(name) == name


@pytest.mark.parametrize("name", ["a/b\nc", "../..", "\x1b[31m", None])
def test_an_imported_run_gets_a_usable_name(core, tmp_path, name):
    folder = tmp_path / "run: 1"
    (folder / "metrics").mkdir(parents=True)
    (folder / "metrics" / "a.jsonl").write_text('{"t": 1, "s": 1, "v": {"loss": 1}}\n')
    (folder / "run.json").write_text(json.dumps({"name": name}))
    (folder / "status.json").write_text('{"state": "succeeded"}')
    made = importer.import_folder(core, ImportRequest(path=str(folder)))
    with core.db.read() as tx:
        found = jobs.get(tx, made).name
    assert require_name(found) == found
    with pytest.raises(StarForgeError, match="can't be called"):
        importer.import_folder(core, ImportRequest(path=str(folder), name="a/b"))


def test_what_would_steer_a_terminal_is_shown_as_a_mark():
    assert visible("a\x1b[2Jb\r\x07\n\tc 训练\x9b") == "a\ufffd[2Jb\ufffd\ufffd\n\tc 训练\ufffd"
