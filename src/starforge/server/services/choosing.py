"""Recommending methods for uploaded data, and the flowchart of choosing one."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from starforge.choose.public import examine, public
from starforge.choose.questions import questions
from starforge.choose.source import LINES, TABLES, read_source
from starforge.choose.suggest import Situation, recommend
from starforge.errors import StarForgeError
from starforge.i18n import Lang, Text
from starforge.server.core import Core
from starforge.server.services.uploads import named, plain_file, without_folder
from starforge.wire.choose import Flowchart, Suggested, SuggestRequest


def suggest(core: Core, request: SuggestRequest, lang: Lang) -> Suggested:
    """Say what the data are and which published methods fit them, best first.

    Raises :class:`StarForgeError` for what can't be read as rows and for rows of no kind.
    """
    with _file(core, request) as path:
        source = read_source(path)
        found = examine(source, request.map)
        best = recommend(found, _situation(core, request), core.catalog, path.name)
        return Suggested.model_validate(public(source, found, best, path.name, lang))


@contextlib.contextmanager
def _file(core: Core, request: SuggestRequest) -> Iterator[Path]:
    """Give the data of a request as a file of their own name."""
    if request.digest is not None:
        with named(core, request.digest, request.file) as path:
            yield path
        return
    if request.text is None:
        raise StarForgeError(
            "choose/nothing",
            Text("neither `digest` nor `text` names data", "没有给出 `digest` 或 `text`"),
            Text("upload the file to /blobs and give its sha256, or send its first lines",
                 "请把文件上传到 /blobs 并给出 sha256，或直接发送开头几行"),
            status=422,
        )  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="sf-suggest-") as temp:
        path = Path(temp) / plain_file(request.file)
        text = _whole_lines(path, request.text) if request.cut else request.text
        path.write_text(text, "utf-8", newline="")
        with without_folder(path.parent):
            yield path


def _whole_lines(path: Path, text: str) -> str:
    """Return the beginning of a file without its last line, which may be cut in half."""
    if path.suffix.lower() not in (*LINES, *TABLES):
        raise StarForgeError(
            "choose/cut",
            Text(f"the beginning of {path.name} can't be read alone",
                 f"{path.name} 不能只读取开头一部分"),
            Text("upload the whole file to /blobs and give its sha256",
                 "请把整个文件上传到 /blobs 并给出 sha256"),
            status=422,
        )  # fmt: skip
    head, line_break, _ = text.rpartition("\n")
    return head + line_break


def _situation(core: Core, request: SuggestRequest) -> Situation:
    """Take what was not said from this machine; memory alone means one GPU."""
    if request.gpus is None and request.gpu_memory is None:
        gpus = core.devices.gpus
        sizes = [gpu.memory_bytes for gpu in gpus if gpu.memory_bytes]
        memory = min(sizes) / 1e9 if sizes else None
        return Situation(gpus=len(gpus), gpu_memory=memory, teacher=request.teacher)
    count = 1 if request.gpus is None else request.gpus
    return Situation(gpus=count, gpu_memory=request.gpu_memory, teacher=request.teacher)


def flowchart(core: Core, gpus: int | None) -> Flowchart:
    """Return the flowchart with the published methods, for ``gpus`` or this machine's."""
    count = len(core.devices.gpus) if gpus is None else gpus
    found = msgspec.to_builtins(questions(core.catalog, count))
    return Flowchart.model_validate({"gpus": count, "questions": found})
