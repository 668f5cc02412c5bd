"""Write the job's data in the form that OpenRLHF reads, below the attempt's folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from job_files import JobError
from openrlhf_rows import RowError, instruction, preference, verifiable

from starforge.lang import t


def prepare(job: dict[str, Any], source: Path, target: Path) -> None:
    """Convert every split of ``job`` from ``source`` into ``target``.

    A reward model also needs rows to find the mean and deviation of its scores. Upstream
    takes a hundredth of the training data, which may be none; without validation data it
    gets that many here, at least one pass.
    """
    target.mkdir(parents=True, exist_ok=True)
    for split, name in job["data"].items():
        convert(job, source / name, target / f"{split}.jsonl")
    if job["kind"] == "rm" and "validation" not in job["data"]:
        train = target / "train.jsonl"
        rows = sum(1 for _ in train.open("rb"))
        count = max(int(job["batch"]), rows // 100)
        with train.open("rb") as lines, (target / "validation.jsonl").open("wb") as out:
            out.writelines(islice(lines, count))


def convert(job: dict[str, Any], source: Path, target: Path) -> None:
    """Write one split; an unusable row is a :class:`JobError` that names its line."""
    count = 0
    with target.open("w", encoding="utf-8") as out:
        for number, row in read(source):
            try:
                made = converted(job, row, {"split": target.stem, "row": count})
            except (RowError, KeyError, TypeError, ValueError) as error:
                raise _unusable(source, number, error) from error
            out.write(json.dumps(made, ensure_ascii=False) + "\n")
            count += 1
    if not count:
        raise JobError(
            t("{path} has no rows", "{path} 里没有任何数据行", path=source.name),
        )


def converted(job: dict[str, Any], row: dict[str, Any], place: dict[str, Any]) -> dict[str, Any]:
    """Return one row as the job's entry reads it; ``place`` says which it is."""
    kind, chat = job["kind"], bool(job["chat"])
    if kind == "sft":
        return instruction(row, chat=chat, pretrain=bool(job["pretrain"]))
    if kind in ("dpo", "rm"):
        return preference(row, chat=chat)
    return verifiable(row, chat=chat, place=place)


def read(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield ``(line number, row)`` of a JSON Lines file."""
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                if line.strip():
                    yield number, json.loads(line)
    except (OSError, ValueError) as error:
        raise JobError(
            t("{path} can't be read: {error}", "无法读取 {path}：{error}", path=path.name,
              error=error)
        ) from error  # fmt: skip


def _unusable(path: Path, number: int, error: Exception) -> JobError:
    if isinstance(error, RowError):
        why = t(error.en, error.zh)
    else:
        why = t("a column is missing or of another type ({error})", "缺少列或类型不对（{error}）",
                error=error)  # fmt: skip
    return JobError(f"{path.name}:{number}: {why}")
