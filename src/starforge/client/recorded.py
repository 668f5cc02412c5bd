"""All that defined a job, as one file: kept, carried elsewhere, and submitted again.

The file is a zip: ``record.json`` (what was submitted, the plan and its digest, where it
ran), the job's ``record/``, and ``blobs/<sha256>``: the experiment's bundle and its rows.
Models do not travel; the plan names them by digest.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from pydantic import ValidationError

from starforge.client.client import Client
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.wire.jobs import JobDetail, Record, SubmitRequest

FORMAT = 1
INDEX = "record.json"
BLOBS = "blobs/"
FILES = "record/"
SUBMISSION = "submission.json"
SOURCE = "source.json"
MAX_INDEX = 64 * 1024 * 1024
PIECE = 1 << 20


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """What was submitted (``SubmitRequest`` without its ``source``), and what came of it."""

    format: int = FORMAT
    job: str
    name: str
    method: str
    submission: dict[str, Any]
    source: dict[str, Any] | None
    plan: dict[str, Any]
    plan_digest: str | None
    server: dict[str, Any]

    def digests(self) -> list[str]:
        """Return the sha256 of the contents that the submission needs: bundle and rows."""
        rows = [one["digest"] for one in self._data() if one.get("digest")]
        return list(dict.fromkeys([str(self.submission["bundle"]), *rows]))

    def _data(self) -> list[dict[str, Any]]:
        inputs = self.plan.get("inputs") or []
        return [one for one in inputs if str(one.get("name", "")).startswith("data.")]

    def datasets(self) -> list[dict[str, Any]]:
        """Return the inputs that name registered datasets, which another server may lack."""
        return [one for one in self._data() if one.get("kind") == "registry"]


def record_of(client: Client, ref: str) -> tuple[Recording, Record]:
    """Read what defined a job from its server.

    Raises:
        StarForgeError: no such job, or one that was not submitted (imported, or made by
            another job).
    """
    job = client.jobs.get(ref)
    record = client.jobs.record(job.id)
    if SUBMISSION not in {*record.files, *record.truncated}:
        raise _not_submitted(job)
    source = _json_file(client, job.id, record, SOURCE) or None
    recording = Recording(
        job=job.id,
        name=job.name,
        method=job.method,
        submission=_json_file(client, job.id, record, SUBMISSION),
        source=source,
        plan=client.jobs.plan(job.id),
        plan_digest=job.plan_digest,
        server=client.server().model_dump(mode="json", exclude={"home", "url", "pid"}),
    )
    return recording, record


def save(client: Client, ref: str, target: Path) -> Recording:
    """Write a job's record to ``target``, which appears whole or not at all."""
    recording, record = record_of(client, ref)
    part = target.with_name(f".{target.name}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            index = msgspec.json.format(msgspec.json.encode(recording), indent=1)
            archive.writestr(INDEX, index)
            for name, text in sorted(record.files.items()):
                archive.writestr(FILES + name, text)
            for name in record.truncated:  # too large to stand in an answer
                with archive.open(FILES + name, "w", force_zip64=True) as out:
                    _pour(client.jobs.file(recording.job, FILES + name), out.write)
            for digest in recording.digests():
                with archive.open(BLOBS + digest, "w", force_zip64=True) as out:
                    _pour(client.blobs.read(digest), out.write)
        part.replace(target)
    except OSError as error:
        raise StarForgeError(
            "record/not-written",
            Text(
                f"{target} can't be written: {error.strerror}",
                f"无法写入 {target}：{error.strerror}",
            ),
            Text("name another file with `-o`", "用 `-o` 指定其他文件"),
        ) from error
    finally:
        part.unlink(missing_ok=True)
    return recording


def load(file: Path) -> Recording:
    """Read a record from a file.

    Raises:
        StarForgeError: it is no record, or one of a later StarForge.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            info = archive.getinfo(INDEX)
            if info.file_size > MAX_INDEX:
                raise _no_record(file, Text(f"{INDEX} has {info.file_size} bytes",
                                            f"{INDEX} 有 {info.file_size} 字节"))  # fmt: skip
            recording = msgspec.json.decode(archive.read(INDEX), type=Recording)
            missing = {BLOBS + one for one in recording.digests()} - set(archive.namelist())
    except _DAMAGE as error:
        raise _no_record(file, _damage(file, error)) from error
    if recording.format > FORMAT:
        raise StarForgeError(
            "record/newer",
            Text(f"{file} was written by a later StarForge", f"{file} 由更新版本的 StarForge 写成"),
            Text("update StarForge and try again", "请更新 StarForge 后重试"),
        )
    if missing:
        name = sorted(missing)[0]
        raise _no_record(file, Text(f"{name} is missing", f"缺少 {name}"))
    return recording


def upload(client: Client, recording: Recording, file: Path) -> None:
    """Send what the server lacks; it checks every content against its digest."""
    with zipfile.ZipFile(file) as archive:
        for digest in recording.digests():
            if not client.blobs.has(digest):
                client.blobs.put(digest, _content(file, archive, BLOBS + digest))


def _content(file: Path, archive: zipfile.ZipFile, name: str) -> Iterator[bytes]:
    try:
        with archive.open(name) as content:
            while piece := content.read(PIECE):
                yield piece
    except _DAMAGE as error:
        raise _no_record(file, _damage(file, error)) from error


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """In what a job that is run again may differ from its record.

    ``replace`` names other inputs, ``sets`` are texts of ``--set``. ``anyway`` accepts
    another plan than the recorded one (of another version of the catalog, say).
    """

    name: str | None = None
    replace: Mapping[str, str] = {}
    sets: tuple[str, ...] = ()
    anyway: bool = False

    @property
    def same(self) -> bool:
        """Whether the plan has to be the recorded one."""
        return not (self.replace or self.sets or self.anyway)


def again(client: Client, recording: Recording, changes: Changes, *, key: str) -> JobDetail:
    """Submit a recorded job again. ``key`` makes it one job, however often it is sent."""
    fields = {**recording.submission, "source": recording.source, "idempotency_key": key}
    fields["name"] = changes.name or recording.name
    fields["plan_digest"] = recording.plan_digest if changes.same else None
    if changes.anyway:
        fields["recipe_digest"] = None
    fields["sets"] = [*fields.get("sets", []), *changes.sets]
    fields["replace"] = {**(fields.get("replace") or {}), **changes.replace}
    kept = [one for one in fields.get("inputs") or [] if one["name"] not in changes.replace]
    # A folder on the server's machine is named by its full path, as a submission does.
    folders = [(name, ref) for name, ref in changes.replace.items() if ref.startswith("/")]
    given = [{"name": name, "kind": "path", "location": ref} for name, ref in folders]
    fields["inputs"] = [*kept, *given]
    fields["rerun_of"] = recording.job
    try:
        request = SubmitRequest.model_validate(fields)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(str(part) for part in problem["loc"])
        raise StarForgeError(
            "record/not-usable",
            Text(
                f"the record can't be submitted: {where}: {problem['msg']}",
                f"无法提交该记录：{where}：{problem['msg']}",
            ),
            Text("submit the experiment in its code/ folder", "请提交其 code/ 文件夹中的实验"),
        ) from error
    return client.jobs.submit(request)


def with_rows_at_hand(client: Client, recording: Recording) -> Recording:
    """Give the rows of datasets that this server does not have as plain files.

    The plan is then another one (it names the rows by digest, not by dataset).
    """
    known = {(one.name, str(one.version)): one.digest for one in client.datasets.all()}
    replace: dict[str, str] = {}
    inputs = []
    for one in recording.datasets():
        name, _, version = str(one["location"]).rpartition("@")
        if known.get((name, version)) == one["digest"]:
            continue
        replace[one["name"]] = str(one.get("file") or "rows.jsonl")
        inputs.append({**one, "kind": "blob", "location": one["digest"]})
    if not replace:
        return recording
    kept = [one for one in recording.submission["inputs"] if one["name"] not in replace]
    submission = {
        **recording.submission,
        "inputs": [*kept, *inputs],
        "replace": {**(recording.submission.get("replace") or {}), **replace},
    }
    return msgspec.structs.replace(recording, submission=submission, plan_digest=None)


def _json_file(client: Client, job_id: str, record: Record, name: str) -> dict[str, Any]:
    text = record.files.get(name)
    if text is None and name in record.truncated:  # too large to stand in an answer
        text = b"".join(client.jobs.file(job_id, FILES + name)).decode("utf-8")
    read: dict[str, Any] = json.loads(text or "{}")
    return read


def _pour(pieces: Iterable[bytes] | Iterator[bytes], write: Callable[[bytes], Any]) -> None:
    for piece in pieces:
        write(piece)


def _not_submitted(job: JobDetail) -> StarForgeError:
    made = Text("", "")
    if job.parent:
        made = Text(f"; run its parent {job.parent} again", f"；可以重跑它的父任务 {job.parent}")
    return StarForgeError(
        "record/not-submitted",
        Text(
            f"job {job.name} ({job.id}) was not submitted: it was imported, or made by another job",
            f"任务 {job.name}（{job.id}）不是提交得来的，而是导入的或由其他任务创建的",
        ),
        Text(
            f"only what was submitted can be run again{made.en}",
            f"只有提交的任务才能重跑{made.zh}",
        ),
    )


# What reading a damaged, encrypted or foreign file may raise.
_DAMAGE = (
    OSError, EOFError, KeyError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error,
    msgspec.MsgspecError,
)  # fmt: skip


def _damage(file: Path, error: Exception) -> Text:
    """Say what is wrong with a file that should be a record."""
    if isinstance(error, FileNotFoundError):
        return Text("there is no such file", "没有这个文件")
    if isinstance(error, zipfile.BadZipFile) and not zipfile.is_zipfile(file):
        return Text("it is no zip file", "它不是 zip 文件")
    if isinstance(error, KeyError):
        return Text(f"{INDEX} is missing", f"缺少 {INDEX}")
    said = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return Text(f"it can't be read: {said}", f"无法读取：{said}")


def _no_record(file: Path, detail: Text) -> StarForgeError:
    return StarForgeError(
        "record/not-a-record",
        Text(f"{file} is no record of a job: {detail.en}", f"{file} 不是任务记录：{detail.zh}"),
        Text("`sf job record JOB -o FILE` writes one", "用 `sf job record JOB -o FILE` 导出记录"),
    )
