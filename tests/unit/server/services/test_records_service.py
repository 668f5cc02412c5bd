"""The record of a job as pages and `sf` show it."""

from starforge import layout
from starforge.server.services import records


def test_bytecode_is_no_part_of_a_record(core):
    root = core.settings.job_dir("abc") / layout.RECORD
    cache = root / "driver" / "__pycache__"
    cache.mkdir(parents=True)
    (root / "driver" / "sft.py").write_text("print(1)\n", "utf-8")
    (cache / "sft.cpython-311.pyc").write_bytes(b"\x00\xff")
    (root / "plan.json").write_text("x" * (records.MAX_FILE + 1), "utf-8")
    found = records.read(core, "abc")
    assert found.files == {"driver/sft.py": "print(1)\n"}
    assert found.truncated == ["plan.json"]
