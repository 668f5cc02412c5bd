"""Rules about a YAML file as a file, before anything is known of its meaning."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

# Nine aliases a line: 9 to the power of 6 values.
_GROWING = "".join(
    f"\n{name}: &{name} [{', '.join([f'*{before}'] * 9)}]"
    for before, name in zip("abcde", "bcdef", strict=True)
)

UNREADABLE = rule(
    "yaml/unreadable", "error",
    title=Text("File cannot be read", "无法读取文件"),
    message=Text("{file} cannot be read: {reason}", "无法读取 {file}：{reason}"),
    hint=Text("check that it is a file and that you may read it", "请确认它是文件且有读取权限"),
    why=Text("Nothing can be said about a file that can't be read.", "读不到的文件无从检查。"),
    bad="config.yaml is a folder", good="config.yaml is a readable text file",
)  # fmt: skip
NOT_UTF8 = rule(
    "yaml/not-utf8", "error",
    title=Text("File is not UTF-8 text", "文件不是 UTF-8 文本"),
    message=Text("{file} is not UTF-8 text (byte {offset})",
                 "{file} 不是 UTF-8 文本（第 {offset} 字节）"),
    hint=Text("save it as UTF-8", "请另存为 UTF-8 编码"),
    why=Text("Other encodings turn silently into other characters.",
             "其他编码会被悄悄读成别的字符。"),
    bad="\\xff\\xfem\\x00e\\x00", good="method: trl/sft",
)  # fmt: skip
TOO_LARGE = rule(
    "yaml/too-large", "error",
    title=Text("File is too large", "文件过大"),
    message=Text("{file} has more than {limit} {unit.en}", "{file} 超过 {limit} {unit.zh}"),
    hint=Text("keep data out of configuration files, and aliases few",
              "不要把数据写进配置文件，也不要大量嵌套引用别名"),
    why=Text("A few lines of aliases can grow to gigabytes when they are expanded.",
             "短短几行别名展开后可能达到数 GB。"),
    bad="a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]" + _GROWING, good="a: [x, x]",
)  # fmt: skip
SYNTAX = rule(
    "yaml/syntax", "error",
    title=Text("Broken YAML", "YAML 语法错误"),
    message=Text("this is not valid YAML: {problem.en}", "YAML 语法错误：{problem.zh}"),
    hint=Text("look at this line and the one before it: indentation, colons, quotes, brackets",
              "检查本行和上一行的缩进、冒号、引号和括号"),
    why=Text("What follows a syntax error can't be read.", "语法错误之后的内容无法读取。"),
    bad="params: {learning_rate: 1e-5", good="params: {learning_rate: 1e-5}",
)  # fmt: skip
TAB = rule(
    "yaml/tab", "error",
    title=Text("Tab in the indentation", "缩进中有制表符"),
    message=Text("this line is indented with a tab", "本行用制表符（Tab）缩进"),
    hint=Text("indent with spaces", "请改用空格缩进"),
    why=Text("YAML does not allow tabs in indentation.", "YAML 不允许用制表符缩进。"),
    bad="params:\n\tlearning_rate: 1e-5", good="params:\n  learning_rate: 1e-5",
)  # fmt: skip
DUPLICATE_KEY = rule(
    "yaml/duplicate-key", "error",
    title=Text("Key written twice", "重复的键"),
    message=Text("`{key}` is already written in line {first}", "`{key}` 在第 {first} 行已经写过"),
    hint=Text("remove one of them", "请删除其中一个"),
    why=Text("One of two values would be lost silently.", "其中一个值会被悄悄丢掉。"),
    bad="learning_rate: 1e-5\nlearning_rate: 1e-4", good="learning_rate: 1e-5",
)  # fmt: skip
NOT_FINITE = rule(
    "yaml/not-finite", "error",
    title=Text("NaN or Infinity", "NaN 或无穷大"),
    message=Text("`{value}` is not a number that can be used here", "`{value}` 不是可用的数字"),
    hint=Text("write a finite number, or put quotes around it if it is meant as text",
              "请写有限的数字；如果本意是文本，请加引号"),
    why=Text("NaN and Infinity pass range checks and then spoil training.",
             "NaN 和无穷大能混过范围检查，随后毁掉训练。"),
    bad="learning_rate: .nan", good="learning_rate: 1e-5",
)  # fmt: skip
NUMBER_TOO_LARGE = rule(
    "yaml/number-too-large", "error",
    title=Text("Number too large", "数字过大"),
    message=Text("`{value}` does not fit in 64 bits", "`{value}` 超出 64 位整数范围"),
    hint=Text("write a smaller number, or put quotes around it if it is meant as text",
              "请写小一些的数字；如果本意是文本，请加引号"),
    why=Text("No framework takes such a number; it is usually a slip.",
             "没有框架接受这样的数字，多半是笔误。"),
    bad="seed: 99999999999999999999", good="seed: 42",
)  # fmt: skip
ROOT = rule(
    "yaml/root", "error",
    title=Text("Wrong kind of file", "文件顶层类型不对"),
    message=Text("{file} must be a mapping (`key: value` lines), not {found.en}",
                 "{file} 顶层必须是映射（多行 `键: 值`），而不是{found.zh}"),
    hint=Text("write one `key: value` a line, without a leading `-`",
              "每行写一个 `键: 值`，行首不要加 `-`"),
    why=Text("Keys are looked up by name.", "配置是按名字查找的。"),
    bad="- method: trl/sft", good="method: trl/sft",
)  # fmt: skip
SEVERAL_DOCUMENTS = rule(
    "yaml/several-documents", "error",
    title=Text("More than one document", "含有多个文档"),
    message=Text("a second document starts here (`---`)", "此处开始了第二个文档（`---`）"),
    hint=Text("keep one document in a file", "一个文件只保留一个文档"),
    why=Text("Only the first one would be used.", "否则只有第一个会生效。"),
    bad="a: 1\n---\nb: 2", good="a: 1\nb: 2",
)  # fmt: skip
TAG = rule(
    "yaml/tag", "error",
    title=Text("Tag not allowed", "不支持的标签"),
    message=Text("the tag `{tag}` is not allowed", "不支持标签 `{tag}`"),
    hint=Text("write the plain value", "请直接写普通的值"),
    why=Text("Tags can build any object when a file is loaded.",
             "标签可能在加载文件时构造任意对象。"),
    bad="a: !!python/object/apply:os.system ['ls']", good="a: ls",
)  # fmt: skip
KEY = rule(
    "yaml/key", "error",
    title=Text("Not a usable key", "无法使用的键"),
    message=Text("this key is empty or not a plain name", "这个键为空，或不是普通的名字"),
    hint=Text("write `name: value`", "请写成 `名字: 值`"),
    why=Text("Keys are looked up by name.", "配置是按名字查找的。"),
    bad="? [a, b]\n: 1", good="a: 1\nb: 1",
)  # fmt: skip
ALIAS = rule(
    "yaml/alias", "error",
    title=Text("Alias leads nowhere", "别名无效"),
    message=Text("there is no anchor `&{name}` before this alias",
                 "此别名之前没有锚点 `&{name}`"),
    hint=Text("define `&{name}` first, or put quotes around a text that starts with `*`",
              "请先定义 `&{name}`；以 `*` 开头的文本请加引号"),
    why=Text("An alias repeats a value that was marked before.", "别名只能重复前面标记过的值。"),
    bad="a: *missing", good="a: &x 1\nb: *x",
)  # fmt: skip
TOO_DEEP = rule(
    "yaml/too-deep", "error",
    title=Text("Nested too deep", "嵌套过深"),
    message=Text("this is nested more than {limit} levels deep", "嵌套超过 {limit} 层"),
    hint=Text("check the brackets", "请检查括号"),
    why=Text("No configuration needs it; it is a slip or an attack.",
             "正常配置不会这样，多半是笔误或攻击。"),
    bad="a: " + "[" * 100, good="a: [[1, 2], [3, 4]]",
)  # fmt: skip
