"""Rules about data files and their rows."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

EMPTY = rule(
    "data/empty", "error",
    title=Text("No rows", "没有数据"),
    message=Text("{file} has no rows", "{file} 里没有任何数据行"),
    hint=Text("write one JSON object a line", "每行写一个 JSON 对象"),
    why=Text("There is nothing to learn from.", "没有可学的内容。"),
    bad="", good='{"prompt": "2 + 3 =", "completion": " 5"}',
)  # fmt: skip
FORMAT = rule(
    "data/format", "error",
    title=Text("Not JSON Lines", "不是 JSON Lines 文件"),
    message=Text("{file} is {found.en}, not JSON Lines", "{file} 是{found.zh}，不是 JSON Lines"),
    hint=Text("{way.en}", "{way.zh}"),
    why=Text("Data files hold one JSON object a line, so that they can be read row by row and a "
             "finding can name the row.",
             "数据文件每行一个 JSON 对象，这样才能逐行读取，问题也能指明行号。"),
    bad='[{"text": "a"}, {"text": "b"}]', good='{"text": "a"}\n{"text": "b"}',
)  # fmt: skip
NOT_JSON = rule(
    "data/not-json", "error",
    title=Text("Row is not JSON", "数据行不是 JSON"),
    message=Text("row {row} is not JSON: {problem.en}", "第 {row} 行不是合法的 JSON：{problem.zh}"),
    hint=Text("text needs double quotes; a line break inside a text is written \\n",
              "文本要用双引号括起；文本中的换行要写成 \\n"),
    why=Text("The row can't be read.", "这一行无法读取。"),
    bad="{'text': 'a'}", good='{"text": "a"}',
)  # fmt: skip
NOT_OBJECT = rule(
    "data/not-object", "error",
    title=Text("Row is not an object", "数据行不是对象"),
    message=Text("row {row} is {found.en}, not an object with named columns",
                 "第 {row} 行是{found.zh}，而不是带列名的对象"),
    hint=Text("write the row as {{\"column\": value}}", "请写成 {{\"列名\": 值}} 的形式"),
    why=Text("Columns are found by their names.", "各列靠名字识别。"),
    bad='["2 + 3 =", " 5"]', good='{"prompt": "2 + 3 =", "completion": " 5"}',
)  # fmt: skip
COLUMNS = rule(
    "data/columns", "error",
    title=Text("Columns don't fit the method", "数据列与方法不符"),
    message=Text("row {row} has the columns {found}; {method} needs {needed.en}",
                 "第 {row} 行的列是 {found}；{method} 需要 {needed.zh}"),
    hint=Text("rename or add the columns", "请重命名或补上所需的列"),
    why=Text("The framework looks for these names and fails, or trains on something else.",
             "框架按这些列名取数，找不到就会失败，或训练到别的内容上。"),
    bad='{"question": "2 + 3 =", "answer": " 5"}',
    good='{"prompt": "2 + 3 =", "completion": " 5"}',
)  # fmt: skip
MIXED = rule(
    "data/mixed", "error",
    title=Text("Rows of different forms", "数据行形式不一"),
    message=Text("row {row} is {found.en}, but the first row is {first.en}",
                 "第 {row} 行是{found.zh}，而第一行是{first.zh}"),
    hint=Text("keep one form in a file; split the others off",
              "一个文件只用一种形式，其余的请另存"),
    why=Text("The framework takes the form of the first row for all of them.",
             "框架以第一行的形式处理整个文件。"),
    bad='{"text": "a"}\n{"prompt": "a", "completion": "b"}', good='{"text": "a"}\n{"text": "b"}',
)  # fmt: skip
TYPE = rule(
    "data/type", "error",
    title=Text("Value of the wrong type", "值的类型不对"),
    message=Text("row {row}: `{column}` is {found.en}, but must be {wanted.en}",
                 "第 {row} 行：`{column}` 是{found.zh}，应为{wanted.zh}"),
    why=Text("The framework can't turn it into tokens.", "框架无法把它转换成词元。"),
    bad='{"prompt": "2 + 3 =", "completion": 5}',
    good='{"prompt": "2 + 3 =", "completion": " 5"}',
)  # fmt: skip
MESSAGE = rule(
    "data/message", "error",
    title=Text("Malformed message", "消息格式不对"),
    message=Text("row {row}: `{column}`, message {index}: {problem.en}",
                 "第 {row} 行：`{column}` 的第 {index} 条消息{problem.zh}"),
    hint=Text('a message is {{"role": "user", "content": "text"}}',
              '一条消息应写成 {{"role": "user", "content": "文本"}}'),
    why=Text("The chat template needs the role and the content of every message.",
             "对话模板需要每条消息的角色和内容。"),
    bad='{"messages": [{"from": "human", "value": "hi"}]}',
    good='{"messages": [{"role": "user", "content": "hi"}, '
         '{"role": "assistant", "content": "hello"}]}',
)  # fmt: skip
ROLE = rule(
    "data/role", "error",
    title=Text("Unknown role", "未知的角色"),
    message=Text("row {row}: `{column}`, message {index}: `{role}` is not a role",
                 "第 {row} 行：`{column}` 的第 {index} 条消息：`{role}` 不是可用的角色"),
    hint=Text("{way.en}", "{way.zh}"),
    why=Text("Chat templates know these roles only, and drop or refuse others.",
             "对话模板只认识这些角色，其他的会被丢弃或拒绝。"),
    bad='{"messages": [{"role": "human", "content": "hi"}, '
        '{"role": "gpt", "content": "hello"}]}',
    good='{"messages": [{"role": "user", "content": "hi"}, '
         '{"role": "assistant", "content": "hello"}]}',
)  # fmt: skip
LAST_TURN = rule(
    "data/last-turn", "error",
    title=Text("Conversation without an answer at its end", "对话结尾没有回答"),
    message=Text("row {row}: `{column}` ends with a message of `{role}`, not of the assistant",
                 "第 {row} 行：`{column}` 以 `{role}` 的消息结尾，而不是助手的回答"),
    hint=Text("remove the messages after the last answer, or the row",
              "请删掉最后一个回答之后的消息，或删掉这一行"),
    why=Text("The model learns from answers; a question at the end teaches it to ask.",
             "模型是从回答中学习的；以提问结尾只会教它提问。"),
    bad='{"messages": [{"role": "user", "content": "hi"}]}',
    good='{"messages": [{"role": "user", "content": "hi"}, '
         '{"role": "assistant", "content": "hello"}]}',
)  # fmt: skip
PROMPT_TURN = rule(
    "data/prompt-turn", "error",
    title=Text("Prompt that ends with an answer", "提示以回答结尾"),
    message=Text("row {row}: `{column}` ends with a message of the assistant",
                 "第 {row} 行：`{column}` 以助手的消息结尾"),
    hint=Text("move the answer into the completion", "请把回答移到 completion 中"),
    why=Text("The answer would be left out of the loss, and a second one begun after it.",
             "这个回答不会计入损失，模型还会在它之后再起一个回答。"),
    bad='{"prompt": [{"role": "assistant", "content": "5"}], '
        '"completion": [{"role": "assistant", "content": "6"}]}',
    good='{"prompt": [{"role": "user", "content": "2 + 3 = ?"}], '
         '"completion": [{"role": "assistant", "content": "5"}]}',
)  # fmt: skip
TURN_ORDER = rule(
    "data/turn-order", "warning",
    title=Text("Messages out of turn", "消息顺序不对"),
    message=Text("row {row}: `{column}`, message {index}: {problem.en}",
                 "第 {row} 行：`{column}` 的第 {index} 条消息{problem.zh}"),
    hint=Text("after an optional system message, user and assistant speak in turn (a tool answers "
              "the assistant); join messages of one role",
              "可选的系统消息之后，应由用户和助手轮流发言（工具回复助手）；"
              "请合并同一角色的相邻消息"),
    why=Text("Many chat templates refuse such a conversation or write it wrongly.",
             "许多对话模板会拒绝这样的对话，或写出错误的文本。"),
    bad='{"messages": [{"role": "user", "content": "hi"}, {"role": "user", "content": "ho"}, '
        '{"role": "assistant", "content": "hello"}]}',
    good='{"messages": [{"role": "user", "content": "hi, ho"}, '
         '{"role": "assistant", "content": "hello"}]}',
)  # fmt: skip
LATE_SYSTEM = rule(
    "data/late-system", "warning",
    title=Text("System message in the middle", "系统消息不在开头"),
    message=Text("row {row}: `{column}`, message {index} is of `{role}`, but not at the beginning",
                 "第 {row} 行：`{column}` 的第 {index} 条消息是 `{role}`，却不在开头"),
    hint=Text("move it to the beginning, or make it part of a user's message",
              "请移到开头，或并入用户消息"),
    why=Text("Most chat templates take a system message at the beginning only; others are dropped "
             "or refused.",
             "多数对话模板只接受开头的系统消息，其余的会被丢弃或报错。"),
    bad='{"messages": [{"role": "user", "content": "hi"}, {"role": "system", "content": "s"}, '
        '{"role": "assistant", "content": "hello"}]}',
    good='{"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "hi"}, '
         '{"role": "assistant", "content": "hello"}]}',
)  # fmt: skip
SAME_ANSWERS = rule(
    "data/same-answers", "warning",
    title=Text("Pair of equal answers", "两个回答相同"),
    message=Text("row {row}: `chosen` and `rejected` are the same",
                 "第 {row} 行：`chosen` 与 `rejected` 完全相同"),
    hint=Text("remove the row", "请删掉这一行"),
    why=Text("There is nothing to prefer, and the model is pulled both ways.",
             "没有优劣之分，模型会被同时拉向两边。"),
    bad='{"prompt": "a", "chosen": "b", "rejected": "b"}',
    good='{"prompt": "a", "chosen": "b", "rejected": "c"}',
)  # fmt: skip
ONE_LABEL = rule(
    "data/one-label", "error",
    title=Text("Only one label", "只有一种标签"),
    message=Text("every `label` of {file} is {label}", "{file} 的 `label` 全是 {label}"),
    hint=Text("add rows with the other label, or use a method that learns from good answers only "
              "(sft)",
              "请加入另一种标签的数据，或改用只从好回答学习的方法（sft）"),
    why=Text("The method learns from the difference between good and bad answers.",
             "这种方法是从好回答与差回答的差别中学习的。"),
    bad='{"prompt": "a", "completion": "b", "label": true}\n'
        '{"prompt": "c", "completion": "d", "label": true}',
    good='{"prompt": "a", "completion": "b", "label": true}\n'
         '{"prompt": "c", "completion": "d", "label": false}',
)  # fmt: skip
LABEL_RATIO = rule(
    "data/label-ratio", "warning",
    title=Text("Labels out of balance", "标签比例失衡"),
    message=Text("{file} has {good} good and {bad} bad answers",
                 "{file} 有 {good} 个好回答、{bad} 个差回答"),
    hint=Text("set `{parameter}: {weight}`, so that both sides weigh the same",
              "请设 `{parameter}: {weight}`，使两边权重相当"),
    why=Text("The rarer label is hardly learned from.", "较少的一方几乎学不到。"),
    bad="90 rows with label true, 10 with false", good="50 rows of each",
)  # fmt: skip
REWARD_COLUMN = rule(
    "data/reward-column", "error",
    title=Text("Column that the reward needs", "缺少奖励函数需要的列"),
    message=Text("row {row} has no `{column}`, which the reward function takes",
                 "第 {row} 行没有奖励函数所需的 `{column}`"),
    hint=Text("add the column, rename another with `data.map`, or give the argument a default "
              "value",
              "请补上该列，或用 `data.map` 改名，或给该参数一个默认值"),
    why=Text("The reward would fail at the first batch with such a row.",
             "遇到这样的行，奖励函数会在第一批就出错。"),
    bad='def reward(prompts, completions, answer), and rows without "answer"',
    good='def reward(prompts, completions, answer), and {"prompt": "2 + 3 =", "answer": "5"}',
)  # fmt: skip
CONTAMINATED = rule(
    "data/contamination", "warning",
    title=Text("Benchmark questions in the training data", "训练数据中有评测题"),
    message=Text("{count} of {rows} rows of {file} ask what the benchmark `{benchmark}` asks "
                 "(first: row {row})",
                 "{file} 共 {rows} 行，其中 {count} 行与评测 `{benchmark}` 的题目相同"
                 "（首次出现在第 {row} 行）"),
    hint=Text("remove them, or don't measure with that benchmark",
              "请删除这些行，或不要用该评测来衡量"),
    why=Text("A score on questions the model was trained on says nothing.",
             "在训练过的题目上得分没有意义。"),
    bad="a row whose prompt is a question of a benchmark", good="questions of your own",
)  # fmt: skip
MAP_UNKNOWN = rule(
    "data/map-unknown", "error",
    title=Text("Renamed column that no row has", "要改名的列不存在"),
    message=Text("`data.map` renames `{old}`, but no row has it (columns: {known})",
                 "`data.map` 要给 `{old}` 改名，但没有任何一行含有它（现有的列：{known}）"),
    hint=Text("write the name as it is in the file", "请按文件中的写法填写列名"),
    why=Text("The column that was meant would keep its name and not be read.",
             "真正想改的列会保持原名，读不到。"),
    bad="data: {train: rows.jsonl, map: {qestion: prompt}}",
    good="data: {train: rows.jsonl, map: {question: prompt}}",
)  # fmt: skip
MAP_TAKEN = rule(
    "data/map-taken", "error",
    title=Text("New name that is taken", "新列名已被占用"),
    message=Text("row {row} has a column `{new}` already, so `{old}` can't take its name",
                 "第 {row} 行已有列 `{new}`，`{old}` 不能改成这个名字"),
    hint=Text("rename that one too, as in `{new}: {new}_before`",
              "请把它也改名，例如 `{new}: {new}_before`"),
    why=Text("One of the two values would be lost.", "两个值会丢掉一个。"),
    bad='map: {question: prompt} with {"question": "a", "prompt": "b"}',
    good='map: {question: prompt, prompt: old_prompt}',
)  # fmt: skip
EMPTY_TEXT = rule(
    "data/empty-text", "warning",
    title=Text("Empty text", "空文本"),
    message=Text("row {row}: `{column}` is empty", "第 {row} 行：`{column}` 为空"),
    hint=Text("fill it, or remove the row", "请补上内容，或删掉这一行"),
    why=Text("The model would learn to answer nothing.", "模型会学着什么也不回答。"),
    bad='{"prompt": "2 + 3 =", "completion": ""}',
    good='{"prompt": "2 + 3 =", "completion": " 5"}',
)  # fmt: skip
EXTRA_COLUMNS = rule(
    "data/extra-columns", "warning",
    title=Text("Columns that other rows don't have", "个别行多出的列"),
    message=Text("row {row} has columns that the first row does not have: {extra}",
                 "第 {row} 行有第一行没有的列：{extra}"),
    hint=Text("remove them, or check whether the row belongs into this file",
              "请删除这些列，或确认这一行是否属于本文件"),
    why=Text("A row that looks different often comes from another source by mistake. Columns the "
             "method doesn't read are ignored.",
             "样子不同的行往往是误混进来的。方法不读取的列会被忽略。"),
    bad='{"text": "a"}\n{"text": "b", "score": 1}', good='{"text": "a"}\n{"text": "b"}',
)  # fmt: skip
DUPLICATES = rule(
    "data/duplicates", "warning",
    title=Text("Duplicate rows", "重复的数据行"),
    message=Text("{count} of {rows} rows stand in {file} more than once (first: row {row})",
                 "{file} 共 {rows} 行，其中 {count} 行与前面的重复（首次出现在第 {row} 行）"),
    hint=Text("remove them, unless they are meant as weights", "除非有意加权，请去重"),
    why=Text("Duplicates weigh more and are learned by heart sooner.",
             "重复的数据权重更大，也更容易被死记。"),
    bad='{"text": "a"}\n{"text": "a"}', good='{"text": "a"}\n{"text": "b"}',
)  # fmt: skip
OVERLAP = rule(
    "data/overlap", "warning",
    title=Text("Validation rows that are trained on", "验证数据出现在训练集中"),
    message=Text("{count} of {rows} validation rows are training rows too (first: row {row})",
                 "验证集共 {rows} 行，其中 {count} 行也在训练集中（首次出现在第 {row} 行）"),
    hint=Text("remove them from one of the two", "请从其中一方删除"),
    why=Text("The validation loss would look better than the model is.",
             "验证损失会显得比模型的真实水平更好。"),
    bad='the same row in train.jsonl and validation.jsonl', good="disjoint files",
)  # fmt: skip
LONG_ROWS = rule(
    "data/long-rows", "warning",
    title=Text("Rows that will be cut", "会被截断的数据行"),
    message=Text("about {count} of {rows} rows ({percent}%) look longer than {limit} tokens "
                 "and will be cut (estimated from their length; longest: row {row})",
                 "{rows} 行中约 {count} 行（{percent}%）可能超过 {limit} 个词元，会被截断"
                 "（按文本长度估算；最长的是第 {row} 行）"),
    hint=Text("raise `{parameter}`, or shorten the rows", "请调大 `{parameter}`，或缩短这些数据"),
    why=Text("What is cut is the end of the answer, so the model learns not to finish.",
             "被截掉的是回答的结尾，模型会学不会收尾。"),
    bad="rows of 6000 tokens with max_tokens: 1024", good="max_tokens: 8192",
)  # fmt: skip
