"""Rules about inputs of an upload that the server cannot find."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

NOT_UPLOADED = rule(
    "input/not-uploaded",
    "error",
    title=Text("Input was not sent", "输入没有上传"),
    message=Text(
        "`{ref}` was not sent to the server with the experiment",
        "`{ref}` 没有随实验一起上传到服务",
    ),
    hint=Text("submit with `sf submit`, which uploads it", "请用 `sf submit` 提交，它会自动上传"),
    why=Text(
        "The server has no access to the files of the submitting machine: data files travel "
        "as blobs, named in `inputs` of the request.",
        "服务访问不到提交方机器上的文件：数据文件以 blob 形式上传，并在请求的 `inputs` 中列出。",
    ),
    bad='{"bundle": "...", "inputs": []}',
    good='{"bundle": "...", "inputs": [{"name": "data.train", "kind": "blob", ...}]}',
)
