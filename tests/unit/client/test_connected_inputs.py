"""Datasets are looked up on the server; without one they stay names."""

import pytest

from starforge.client.inputs import ConnectedResolver
from starforge.client.versions import pick_version
from starforge.errors import ExitCode, StarForgeError
from starforge.findings import Finding
from starforge.i18n import Text
from starforge.wire.datasets import Dataset


def row(version):
    return Dataset(
        name="mine", version=version, ref=f"dataset:mine@{version}", digest="d" * 64, rows=3,
        created_at=1.0,
    )  # fmt: skip


def resolver(folder, lookup):
    return ConnectedResolver(folder, None, lookup)


def test_the_newest_version_and_its_digest_are_in_the_plan(tmp_path):
    found = resolver(tmp_path, lambda where: row(4)).data("dataset:mine", "train")
    assert (found.ref.location, found.ref.digest, found.ref.rows) == ("mine@4", "d" * 64, 3)
    assert found.path is None


def away(where):
    raise StarForgeError("x", Text("away", "不在"), exit_code=ExitCode.UNREACHABLE)


@pytest.mark.parametrize("lookup", [lambda where: None, away])
def test_without_a_server_it_stays_a_name(tmp_path, lookup):
    found = resolver(tmp_path, lookup).data("dataset:mine@2", "train")
    assert (found.ref.location, found.ref.digest) == ("mine@2", None)


def test_a_version_that_is_not_there_is_a_finding_with_those_that_are(tmp_path):
    def lookup(where):
        return pick_version([row(2), row(1)], where, where.partition("@")[2])

    assert resolver(tmp_path, lookup).data("dataset:mine@1", "train").ref.location == "mine@1"
    found = resolver(tmp_path, lookup).data("dataset:mine@7", "train")
    assert isinstance(found, Finding) and found.code == "input/unresolved"
    assert "2, 1" in found.hint.en


def test_files_are_found_as_ever(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"text": "a"}\n')
    found = resolver(tmp_path, away).data("rows.jsonl", "train")
    assert (found.ref.kind, found.ref.rows) == ("blob", 1)
