"""Rules about parameters and native keys: config.yaml, ``params`` and ``--set``."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

UNKNOWN_KEY = rule(
    "config/unknown-key", "error",
    title=Text("Unknown key", "未知的键"),
    message=Text("`{key}` is not a key of {pin} ({method})", "`{key}` 不是 {pin}（{method}）的键"),
    hint=Text("`sf methods {method}` lists its parameters",
              "用 `sf methods {method}` 查看可用参数"),
    why=Text("The pinned framework would refuse the key, or ignore it silently.",
             "固定版本的框架会拒绝这个键，或悄悄忽略它。"),
    bad="learning_rat: 1.0e-5", good="learning_rate: 1.0e-5",
)  # fmt: skip
IGNORED_KEY = rule(
    "config/ignored-key", "error",
    title=Text("Key that does nothing", "设置了也不起作用的键"),
    message=Text("{pin} accepts `{key}` and never reads it: {note}",
                 "{pin} 接受 `{key}`，但从不读取它：{note}"),
    hint=Text("remove it", "请删除它"),
    why=Text("A setting that is silently ignored makes a run look like one it is not.",
             "被静默忽略的设置会让人误以为它生效了。"),
    bad="custom_reward_function: {path: my.py}    # verl", good="reward: my.py",
)  # fmt: skip
INTERPOLATION = rule(
    "config/interpolation", "error",
    title=Text("Reference to a key that is not there", "引用了不存在的键"),
    message=Text("`{key}: {value}` refers to `{missing}`, which {pin} does not have",
                 "`{key}: {value}` 引用了 `{missing}`，{pin} 没有这个键"),
    why=Text("The framework would stop when it computes the value.",
             "框架在计算该值时会报错退出。"),
    bad="policy: {max_total_sequence_length: \"${policy.max_len}\"}",
    good="policy: {max_total_sequence_length: 2048}",
)  # fmt: skip
RENAMED_KEY = rule(
    "config/renamed-key", "error",
    title=Text("Key of another version", "其他版本的键"),
    message=Text("`{key}` is a key of another version or method, not of this one ({pin})",
                 "`{key}` 是其他版本或方法的键，这里（{pin}）没有它"),
    hint=Text("use `{new}`", "请改用 `{new}`"),
    why=Text("Names change between versions; the pinned one decides.",
             "各版本的名字会变，以固定的版本为准。"),
    bad="max_seq_length: 2048", good="max_length: 2048",
)  # fmt: skip
DEPRECATED_KEY = rule(
    "config/deprecated-key", "warning",
    title=Text("Deprecated key", "已弃用的键"),
    message=Text("{pin} still takes `{key}`, but it is deprecated",
                 "{pin} 仍接受 `{key}`，但它已被弃用"),
    hint=Text("use `{new}`", "请改用 `{new}`"),
    why=Text("The next version of the framework will refuse it.", "框架的下一个版本会拒绝它。"),
    bad="gradient_checkpointing: true", good="activation_checkpointing: true",
)  # fmt: skip
UNKNOWN_PARAMETER = rule(
    "config/unknown-parameter", "error",
    title=Text("Unknown parameter", "未知的参数"),
    message=Text("`{key}` is not a parameter of {method}", "`{key}` 不是 {method} 的参数"),
    hint=Text("`sf methods {method}` lists its parameters",
              "用 `sf methods {method}` 查看可用参数"),
    why=Text("`params` takes canonical names only; upstream's own keys go into config.yaml.",
             "`params` 只接受规范名；框架自己的键写在 config.yaml 中。"),
    bad="method: trl/sft\nparams: {learning_rat: 1.0e-5}",
    good="method: trl/sft\nparams: {learning_rate: 1.0e-5}",
)  # fmt: skip
PINNED = rule(
    "config/pinned", "error",
    title=Text("Key fixed by the method", "由方法固定的键"),
    message=Text("`{key}` is fixed by {method}: {reason.en}",
                 "`{key}` 由 {method} 固定：{reason.zh}"),
    hint=Text("remove it", "请删除它"),
    why=Text("A recipe owns what must not drift; config and method must not disagree quietly.",
             "不能漂移的设置由配方掌管，配置与方法不能悄悄不一致。"),
    bad="output_dir: /tmp/out", good="learning_rate: 1.0e-5",
)  # fmt: skip
WRONG_TYPE = rule(
    "config/wrong-type", "error",
    title=Text("Wrong type", "类型不对"),
    message=Text("`{key}` must be {wanted.en} in {pin}, not {given.en}",
                 "在 {pin} 中 `{key}` 应为{wanted.zh}，而不是{given.zh}"),
    why=Text("The framework would fail when it starts, or read the value as something else.",
             "框架会在启动时失败，或把值理解成别的意思。"),
    bad="num_train_epochs: three", good="num_train_epochs: 3",
)  # fmt: skip
OUT_OF_RANGE = rule(
    "config/out-of-range", "error",
    title=Text("Out of range", "超出范围"),
    message=Text("`{key}` is {value}, but must be {allowed}",
                 "`{key}` 为 {value}，但必须 {allowed}"),
    hint=Text("its default is {default}", "默认值为 {default}"),
    why=Text("Such a value makes training fail or do nothing.", "这样的值会让训练失败或毫无效果。"),
    bad="learning_rate: -1.0e-5", good="learning_rate: 1.0e-5",
)  # fmt: skip
NOT_A_CHOICE = rule(
    "config/not-a-choice", "error",
    title=Text("Not one of the choices", "不在可选值之中"),
    message=Text("`{key}` can't be `{value}` in {pin}", "在 {pin} 中 `{key}` 不能为 `{value}`"),
    hint=Text("choose one of: {choices}", "可选值：{choices}"),
    why=Text("The framework would refuse it when it starts.", "框架会在启动时拒绝它。"),
    bad="save_strategy: step", good="save_strategy: steps",
)  # fmt: skip
CONFLICT = rule(
    "config/conflict", "error",
    title=Text("Two values for one key", "同一个键有两个值"),
    message=Text("`{key}` is {value}, but {other_source} sets `{other}` to {other_value}; "
                 "both mean `{path}`",
                 "`{key}` 为 {value}，但 {other_source} 把 `{other}` 设为 {other_value}；"
                 "两者都是 `{path}`"),
    hint=Text("keep one of the two", "请只保留其中一个"),
    why=Text("Which of the two is meant can't be known.", "无法判断以哪个为准。"),
    bad="params: {learning_rate: 1e-5} in experiment.yaml, learning_rate: 2e-5 in config.yaml",
    good="params: {learning_rate: 1e-5}",
)  # fmt: skip
SET_SYNTAX = rule(
    "set/syntax", "error",
    title=Text("Malformed --set", "--set 写法不对"),
    message=Text("`--set {text}` has no `=`", "`--set {text}` 缺少 `=`"),
    hint=Text("write `--set name=value`", "请写成 `--set 名字=值`"),
    why=Text("Without `=` there is no value.", "没有 `=` 就没有值。"),
    bad="--set learning_rate", good="--set learning_rate=1e-5",
)  # fmt: skip
SET_VALUE = rule(
    "set/value", "error",
    title=Text("Malformed value in --set", "--set 的值写法不对"),
    message=Text("the value of `--set {text}` can't be read: {problem.en}",
                 "无法读取 `--set {text}` 的值：{problem.zh}"),
    hint=Text("quote it for the shell, as in `--set 'targets=[q_proj, v_proj]'`",
              "请为 shell 加上引号，例如 `--set 'targets=[q_proj, v_proj]'`"),
    why=Text("Half a value must not start a job.", "不能用残缺的值启动任务。"),
    bad="--set 'targets=[q_proj'", good="--set 'targets=[q_proj, v_proj]'",
)  # fmt: skip
SET_BOTH = rule(
    "set/two-meanings", "info",
    title=Text("Name with two meanings", "名字有两种含义"),
    message=Text("`--set {key}` sets the published parameter (upstream `{path}`), "
                 "not upstream's own key `{key}`",
                 "`--set {key}` 设置的是公开参数（对应上游 `{path}`），而不是上游自己的键 `{key}`"),
    hint=Text("set upstream's own key in config.yaml", "上游自己的键请在 config.yaml 中设置"),
    why=Text("Canonical names come first, the same in every framework.",
             "规范名优先，在各框架中含义相同。"),
    bad="--set batch_size=8", good="--set per_device_train_batch_size=8",
)  # fmt: skip
