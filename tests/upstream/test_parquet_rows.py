"""Parquet files, read by the pyarrow of a runtime."""

import datetime
import subprocess
import sys
from pathlib import Path

import pytest

from starforge.choose.source import read_source, write_lines
from starforge.errors import StarForgeError
from starforge.runtimes.parquet import parquet_python, parquet_rows

pytestmark = pytest.mark.upstream
MAKE = """
import datetime, sys
import pyarrow as pa, pyarrow.parquet as pq

rows = [{"prompt": [{"role": "user", "content": f"第 {i} 题"}], "answer": str(i),
         "day": datetime.date(2026, 1, 2)} for i in range(int(sys.argv[2]))]
pq.write_table(pa.Table.from_pylist(rows), sys.argv[1])
"""


@pytest.fixture
def parquet(tmp_path, trl_python):
    def make(count: int) -> Path:
        file = tmp_path / "train.parquet"
        subprocess.run([trl_python, "-c", MAKE, str(file), str(count)], check=True)
        return file

    return make


def test_rows_are_what_was_written(parquet, trl_python):
    rows = list(parquet_rows(parquet(3), Path(trl_python)))
    assert [row["answer"] for row in rows] == ["0", "1", "2"]
    assert rows[1]["prompt"] == [{"role": "user", "content": "第 1 题"}]
    assert rows[0]["day"] == str(datetime.date(2026, 1, 2))


def test_the_beginning_is_enough(parquet, trl_python):
    rows = parquet_rows(parquet(50_000), Path(trl_python))
    assert next(rows)["answer"] == "0"
    rows.close()  # ends the reader


def test_what_is_no_parquet_is_an_error(tmp_path, trl_python):
    file = tmp_path / "x.parquet"
    file.write_text("a,b\n1,2\n")
    with pytest.raises(StarForgeError, match="magic bytes"):
        list(parquet_rows(file, Path(trl_python)))


def test_a_source_is_read_and_written_as_lines(parquet, tmp_path, monkeypatch, trl_python):
    # The virtual environment that the interpreter belongs to is the runtime's folder.
    monkeypatch.setenv("STARFORGE_RUNTIMES", str(Path(trl_python).parents[2]))
    file = parquet(1200)
    assert parquet_python(tmp_path) is not None
    assert parquet_python(tmp_path) != Path(sys.executable)
    source = read_source(file)
    assert len(source.rows) == 1000 and source.more
    assert write_lines(file, tmp_path / "train.jsonl") == 1200
