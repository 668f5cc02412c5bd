"""Rows that real runs of each framework wrote have the one shape of samples, whole."""

from pathlib import Path

import pytest

from starforge.streams import decode_rows

FOLDER = Path(__file__).parents[2] / "data" / "samples"
TYPES = {"prompt": str, "completion": str, "reward": float, "rewards": dict, "group": int,
         "length": int, "truncated": bool}  # fmt: skip


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.jsonl")), ids=lambda path: path.stem)
def test_a_real_file_says_everything(path):
    got = decode_rows("samples", path.read_bytes(), final=True)
    assert got.notes == []
    assert got.rows
    for row in got.rows:
        assert {name: type(row.data.get(name)) for name in TYPES} == TYPES
        assert row.data["s"] > 0 and row.data["t"] > 1e9
        assert row.data["length"] > 0
        # Single precision shows no digits that are not there.
        assert len(repr(row.data["reward"])) <= len("-0.1234567")
        assert sum(row.data["rewards"].values()) == pytest.approx(row.data["reward"], abs=1e-6)


def test_every_framework_that_trains_here_is_there():
    found = {path.stem.partition("-")[0] for path in FOLDER.glob("*.jsonl")}
    assert found == {"trl", "verl", "openrlhf"}
