"""Rules about ``defaults:`` and ``_override_`` in config.yaml."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

PARENT_MISSING = rule(
    "inherit/parent-missing", "error",
    title=Text("Parent that is not there", "找不到父配置"),
    message=Text("`defaults` names `{parent}`, which does not lie beside this file",
                 "`defaults` 引用了 `{parent}`，但该文件不在本文件旁"),
    hint=Text("copy it into the experiment's folder; upstream's own defaults ({base}) need not "
              "be named",
              "请把它复制到实验文件夹；上游自带的默认配置（{base}）无需写出"),
    why=Text("A parent is found relative to the file that names it, and travels with the "
             "experiment.",
             "父配置相对于引用它的文件查找，并随实验一起提交。"),
    bad="defaults: missing.yaml", good="defaults: common.yaml    # lies beside config.yaml",
)  # fmt: skip
PARENT_OUTSIDE = rule(
    "inherit/parent-outside", "error",
    title=Text("Parent outside of the experiment", "父配置不在实验文件夹内"),
    message=Text("`defaults` names `{parent}`, outside of the experiment's folder",
                 "`defaults` 引用了实验文件夹之外的 `{parent}`"),
    hint=Text("copy it into the experiment's folder and name it from there",
              "请把它复制到实验文件夹内再引用"),
    why=Text("Only the experiment's own files are submitted; elsewhere the file would be missing "
             "or be another.",
             "提交时只带实验自己的文件，换台机器它就不存在，或内容不同。"),
    bad="defaults: ../other/config.yaml", good="defaults: common.yaml",
)  # fmt: skip
CYCLE = rule(
    "inherit/cycle", "error",
    title=Text("Files that inherit from each other", "配置互相继承"),
    message=Text("`defaults: {parent}` closes a circle: {chain}",
                 "`defaults: {parent}` 形成了循环：{chain}"),
    hint=Text("remove one of these `defaults`", "请删除其中一处 `defaults`"),
    why=Text("Upstream would follow it until it crashes.", "上游会一直读下去，直到崩溃。"),
    bad="a.yaml: `defaults: b.yaml`, b.yaml: `defaults: a.yaml`",
    good="a.yaml: `defaults: b.yaml`",
)  # fmt: skip
FORM = rule(
    "inherit/defaults-form", "error",
    title=Text("Malformed `defaults`", "`defaults` 写法不对"),
    message=Text("`defaults` must be a file name or a list of file names",
                 "`defaults` 应为一个文件名，或文件名的列表"),
    hint=Text("write `defaults: common.yaml` or `defaults: [a.yaml, b.yaml]`",
              "请写成 `defaults: common.yaml` 或 `defaults: [a.yaml, b.yaml]`"),
    why=Text("Hydra's other forms (groups, packages) are not read here.",
             "这里不支持 Hydra 的其他写法（配置组、包）。"),
    bad="defaults: [{policy: small}]", good="defaults: [small.yaml]",
)  # fmt: skip
OVERRIDE_PLACE = rule(
    "inherit/override-place", "error",
    title=Text("`_override_` below the top level", "`_override_` 不在顶层"),
    message=Text("`_override_` in `{section}` does nothing: it works in top-level sections only",
                 "`{section}` 中的 `_override_` 不起作用：它只在顶层的节中有效"),
    hint=Text("remove it, and set the keys to what you want",
              "请删除它，并直接把相应的键设为想要的值"),
    why=Text("Upstream merges inner sections whatever they say, and keeps the marker unread.",
             "上游总是合并内层的节，这个标记会被保留但从不读取。"),
    bad="policy: {dynamic_batching: {_override_: true, enabled: false}}",
    good="policy: {dynamic_batching: {enabled: false}}",
)  # fmt: skip
