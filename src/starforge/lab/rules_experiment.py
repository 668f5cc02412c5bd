"""Rules about experiment.yaml and the inputs it names."""

from __future__ import annotations

import msgspec

from starforge.errors import StarForgeError
from starforge.findings import Finding, Location, rule
from starforge.i18n import Text

NO_FILE = rule(
    "experiment/no-file", "error",
    title=Text("No experiment.yaml", "缺少 experiment.yaml"),
    message=Text("there is no experiment.yaml in {folder}", "{folder} 中没有 experiment.yaml"),
    hint=Text("`sf new NAME --method METHOD` creates an experiment, `sf ls` lists those you have",
              "用 `sf new 名字 --method 方法` 创建实验，用 `sf ls` 列出已有实验"),
    why=Text("A folder is an experiment when it holds experiment.yaml.",
             "含有 experiment.yaml 的文件夹才是实验。"),
    bad="an empty folder", good="method: trl/sft",
)  # fmt: skip
UNKNOWN_KEY = rule(
    "experiment/unknown-key", "error",
    title=Text("Unknown key in experiment.yaml", "experiment.yaml 中有未知的键"),
    message=Text("`{key}` is not a key of experiment.yaml", "`{key}` 不是 experiment.yaml 的键"),
    hint=Text("known keys here: {known}", "此处可用的键：{known}"),
    why=Text("A misspelt key would be ignored, and the job would not do what was written.",
             "写错的键会被忽略，任务就不会按你写的执行。"),
    bad="method: trl/sft\nresource: local", good="method: trl/sft\nresources: local",
)  # fmt: skip
WRONG_TYPE = rule(
    "experiment/wrong-type", "error",
    title=Text("Wrong type in experiment.yaml", "experiment.yaml 中类型不对"),
    message=Text("`{key}` must be {wanted.en}, not {given.en}",
                 "`{key}` 应为{wanted.zh}，而不是{given.zh}"),
    why=Text("A value of another type can't be used.", "类型不符的值无法使用。"),
    bad="method: trl/sft\npriority: high", good="method: trl/sft\npriority: 10",
)  # fmt: skip
NO_METHOD = rule(
    "experiment/no-method", "error",
    title=Text("No method", "没有指定方法"),
    message=Text("experiment.yaml does not say which `method` it uses",
                 "experiment.yaml 没有写明 `method`（方法）"),
    hint=Text("add `method: FRAMEWORK/NAME`; `sf methods` lists them",
              "请加上 `method: 框架/名字`；用 `sf methods` 查看全部方法"),
    why=Text("The method decides what everything else means.", "其余内容的含义都由方法决定。"),
    bad="params: {learning_rate: 1e-5}", good="method: trl/sft\nparams: {learning_rate: 1e-5}",
)  # fmt: skip
UNKNOWN_METHOD = rule(
    "experiment/unknown-method", "error",
    title=Text("Unknown method", "未知的方法"),
    message=Text("there is no method `{method}`", "没有名为 `{method}` 的方法"),
    hint=Text("known methods: {known}", "可用的方法：{known}"),
    why=Text("Only methods of the catalog can be checked and started.",
             "只有目录中的方法才能检查和启动。"),
    bad="method: trl/sfl", good="method: trl/sft",
)  # fmt: skip
DURATION = rule(
    "experiment/duration", "error",
    title=Text("Not a duration", "不是有效的时长"),
    message=Text("`{key}: {value}` is not a duration", "`{key}: {value}` 不是有效的时长"),
    hint=Text("write seconds (`90`) or units (`30m`, `2h`, `1h30m`, `1d`)",
              "请写秒数（`90`）或带单位的时长（`30m`、`2h`、`1h30m`、`1d`）"),
    why=Text("A limit that is misread stops a job too early or never.",
             "误读的时限会让任务过早停止，或永不停止。"),
    bad="method: trl/sft\npolicies: {time_limit: two hours}",
    good="method: trl/sft\npolicies: {time_limit: 2h}",
)  # fmt: skip
SIZE = rule(
    "experiment/size", "error",
    title=Text("Not a size", "不是有效的大小"),
    message=Text("`{key}: {value}` is not a size", "`{key}: {value}` 不是有效的大小"),
    hint=Text("write bytes (`1073741824`) or units (`500MB`, `5GiB`)",
              "请写字节数（`1073741824`）或带单位的大小（`500MB`、`5GiB`）"),
    why=Text("A reserve that is misread stops a job too early or not before the disk is full.",
             "误读的保留空间会让任务过早停止，或在磁盘写满之前来不及停止。"),
    bad="method: trl/sft\npolicies: {disk_reserve: plenty}",
    good="method: trl/sft\npolicies: {disk_reserve: 5GiB}",
)  # fmt: skip
UNKNOWN_PROFILE = rule(
    "experiment/unknown-profile", "error",
    title=Text("Unknown resources profile", "未知的资源配置"),
    message=Text("`{profile}` is not a resources profile", "`{profile}` 不是可用的资源配置"),
    hint=Text("known profiles: {known}", "可用的资源配置：{known}"),
    why=Text("The profile says how many CPUs and GPUs a job asks for.",
             "资源配置决定任务申请多少 CPU 和 GPU。"),
    bad="method: trl/sft\nresources: gpus-8", good="method: trl/sft\nresources: gpu:8",
)  # fmt: skip
REWARD_NOT_FOUND = rule(
    "reward/not-found", "error",
    title=Text("Reward file not found", "找不到奖励文件"),
    message=Text("the experiment folder has no file `{ref}`", "实验文件夹里没有文件 `{ref}`"),
    hint=Text("put the file into the experiment's folder; it travels with the job",
              "请把文件放进实验文件夹，它会随任务一起提交"),
    why=Text("Without its reward a reinforcement method has nothing to learn from.",
             "没有奖励，强化学习方法就没有学习信号。"),
    bad="method: trl/grpo\nreward: rewards.py", good="method: trl/grpo\nreward: reward.py",
)  # fmt: skip
INPUT_MISSING = rule(
    "input/missing", "error",
    title=Text("Input not given", "缺少输入"),
    message=Text("{method} needs `{key}`", "{method} 需要 `{key}`"),
    hint=Text("add `{key}` to experiment.yaml: {form.en}",
              "请在 experiment.yaml 中加上 `{key}`：{form.zh}"),
    why=Text("The job has nothing to work on without it.", "缺少它，任务无从进行。"),
    bad="method: trl/sft\nmodel: starforge:tiny",
    good="method: trl/sft\nmodel: starforge:tiny\ndata: {train: data/train.jsonl}",
)  # fmt: skip
INPUT_UNUSED = rule(
    "input/unused", "warning",
    title=Text("Input not used", "输入不会被使用"),
    message=Text("{method} does not use `{key}`", "{method} 不使用 `{key}`"),
    hint=Text("remove it", "请删除它"),
    why=Text("An input that is ignored should not look as if it mattered.",
             "被忽略的输入不应让人以为有用。"),
    bad="method: evalkit/benchmark\ndata: {train: data/train.jsonl}",
    good="method: evalkit/benchmark",
)  # fmt: skip
INPUT_NOT_FOUND = rule(
    "input/not-found", "error",
    title=Text("Input not found", "找不到输入"),
    message=Text("`{ref}` does not exist; looked in {places}",
                 "`{ref}` 不存在；已在以下位置查找：{places}"),
    hint=Text("paths are relative to the experiment folder, then to the lab",
              "路径先相对实验文件夹、再相对 lab 根目录解析"),
    why=Text("The job would fail as soon as it reads its input.", "任务一读取输入就会失败。"),
    bad="data: {train: data/tarin.jsonl}", good="data: {train: data/train.jsonl}",
)  # fmt: skip
INPUT_REFERENCE = rule(
    "input/reference", "error",
    title=Text("Malformed reference", "引用格式不对"),
    message=Text("`{ref}` is not a usable reference", "`{ref}` 不是可用的引用"),
    hint=Text("{forms.en}", "{forms.zh}"),
    why=Text("A reference that is misread would start from another model or data.",
             "误读的引用会让任务用错模型或数据。"),
    bad="model: 'job:'", good="model: job:k3f9a2",
)  # fmt: skip
INPUT_KIND = rule(
    "input/not-a-file", "error",
    title=Text("Folder where a file is needed, or the reverse", "文件与文件夹弄反了"),
    message=Text("`{ref}` must be {wanted.en}", "`{ref}` 应为{wanted.zh}"),
    why=Text("Data are files of JSON lines; models are folders.",
             "数据是 JSON Lines 文件，模型是文件夹。"),
    bad="data: {train: data}", good="data: {train: data/train.jsonl}",
)  # fmt: skip
MAP_TWICE = rule(
    "experiment/map-twice", "error",
    title=Text("Two columns of one name", "两列改成了同一个名字"),
    message=Text("`data.map` gives the name `{new}` to two columns (again to `{old}`)",
                 "`data.map` 把两列都改名为 `{new}`（又给了 `{old}`）"),
    hint=Text("give each column a name of its own", "请给每一列不同的名字"),
    why=Text("A row can have one value under a name.", "一行中同一个名字只能有一个值。"),
    bad="method: trl/sft\ndata: {map: {question: prompt, input: prompt}}",
    good="method: trl/sft\ndata: {map: {question: prompt, answer: completion}}",
)  # fmt: skip
INPUT_UNREADABLE = rule(
    "input/unreadable", "error",
    title=Text("Input cannot be read", "输入无法读取"),
    message=Text("`{ref}` cannot be read: {reason}", "`{ref}` 无法读取：{reason}"),
    hint=Text("check its permissions", "请检查读取权限"),
    why=Text("The job would fail as soon as it reads its input.", "任务一读取输入就会失败。"),
    bad="a file without read permission", good="data: {train: data/train.jsonl}",
)  # fmt: skip
INPUT_OFFLINE = rule(
    "input/needs-server", "info",
    title=Text("Input known only to the server", "输入只有服务知道"),
    message=Text("`{ref}` is checked when the job is submitted, not here",
                 "`{ref}` 将在提交任务时检查，此处不检查"),
    why=Text("Jobs, registered models and datasets live on the server.",
             "任务、已登记的模型和数据集都保存在服务中。"),
    bad="model: job:k3f9a2", good="model: models/base",
)  # fmt: skip
UNRESOLVED = rule(
    "input/unresolved",
    "error",
    title=Text("Input does not exist on the server", "服务没有该输入"),
    message=Text("{problem}", "{problem}"),
    why=Text(
        "Registered datasets and models, jobs and folders are looked up on the server before "
        "a job is queued, so that it does not fail hours later.",
        "任务入队前会先由服务查找已登记的数据集、模型、任务和目录，以免排队很久之后才失败。",
    ),
    bad="model: model:my-model@99",
    good="model: model:my-model@1",
)


def unresolved(error: StarForgeError, value: str) -> Finding:
    """Return the finding for an input that the server does not have, in its own words."""
    found = UNRESOLVED.at(Location(value=value), problem="")
    return msgspec.structs.replace(found, message=error.message, hint=error.hint)
