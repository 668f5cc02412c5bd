"""Rows of a Parquet file, read by the pyarrow of this Python or of an installed runtime.

StarForge itself does without pyarrow; every training runtime has it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from starforge.errors import StarForgeError
from starforge.i18n import Text

# One JSON object a line; what JSON has no form for (dates, decimals) becomes text.
_SCRIPT = """
import json, sys
import pyarrow.parquet as pq

try:
    for batch in pq.ParquetFile(sys.argv[1]).iter_batches(batch_size=1000):
        for row in batch.to_pylist():
            print(json.dumps(row, default=str))
except BrokenPipeError:
    pass
"""


def parquet_python(home: Path) -> Path | None:
    """Return an interpreter that has pyarrow; ``None`` when there is none on this machine."""
    if find_spec("pyarrow") is not None:
        return Path(sys.executable)
    from starforge.runtimes.registry import installed

    return next((one.python for one in installed(home) if _has_pyarrow(one.path)), None)


def _has_pyarrow(folder: Path) -> bool:
    return any(folder.glob("lib/python3*/site-packages/pyarrow/parquet"))


def parquet_rows(file: Path, python: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of ``file``; the reader ends when no more are wanted.

    Raises :class:`StarForgeError` (``parquet/unreadable``) for a file that is no Parquet.
    """
    argv = [str(python), "-I", "-c", _SCRIPT, str(file)]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               encoding="utf-8", stdin=subprocess.DEVNULL)  # fmt: skip
    assert process.stdout is not None
    try:
        for line in process.stdout:
            yield json.loads(line)
        _, said = process.communicate()
        if process.returncode:
            reason = said.strip().rpartition("\n")[2] or f"exit {process.returncode}"
            raise StarForgeError(
                "parquet/unreadable",
                Text(f"{file} can't be read as Parquet: {reason}",
                     f"{file} 无法按 Parquet 读取：{reason}"),
            )  # fmt: skip
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
