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
        "`{ref}` 没有随实验一起上传到服务端",
    ),
    hint=Text("submit with `sf submit`, which uploads it", "请用 `sf submit` 提交，它会自动上传"),
    why=Text(
        "The server has no access to the files of the submitting machine: data files travel "
        "as blobs, named in `inputs` of the request.",
        "服务端访问不到提交方机器上的文件：数据文件以 blob 形式上传，并在请求的 `inputs` 中列出。",
    ),
    bad='{"bundle": "...", "inputs": []}',
    good='{"bundle": "...", "inputs": [{"name": "data.train", "kind": "blob", ...}]}',
)
UNRESOLVED = rule(
    "input/unresolved",
    "error",
    title=Text("Input does not exist on the server", "服务端没有该输入"),
    message=Text("{problem}", "{problem}"),
    why=Text(
        "Registered datasets and models, jobs and folders are looked up on the server before "
        "a job is queued, so that it does not fail hours later.",
        "任务入队前会先在服务端查找已登记的数据集、模型、任务和目录，以免排队很久之后才失败。",
    ),
    bad="model: model:my-model@99",
    good="model: model:my-model@1",
)
