"""Rules about the lengths of rows and their rendered texts, from the model's own tokenizer."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

LENGTHS = rule(
    "data/lengths", "info",
    title=Text("Lengths in tokens", "词元长度"),
    message=Text("{looked} {what.en} measured with the model's tokenizer: half have up to "
                 "{median} tokens, 95% up to {most}, the longest {longest}",
                 "用模型的分词器测量了 {looked} 条{what.zh}：半数不超过 {median} 个词元，"
                 "95% 不超过 {most} 个，最长 {longest} 个"),
    why=Text("A limit should lie above nearly all rows and not far above. `value` of the JSON "
             "output holds the histogram: bars of `width` tokens.",
             "长度上限应略高于绝大多数数据。JSON 输出的 `value` 是直方图，每格 `width` 个词元。"),
    bad="max_tokens far from what the rows have", good="max_tokens a little above the 95%",
)  # fmt: skip
CUT_ROWS = rule(
    "data/cut-rows", "warning",
    title=Text("Rows that will be cut", "会被截断的数据行"),
    message=Text("{count} of {looked} rows measured ({percent}%) are longer than {limit} tokens "
                 "and will be cut (longest: row {row} with {tokens})",
                 "所测的 {looked} 行中有 {count} 行（{percent}%）超过 {limit} 个词元，会被截断"
                 "（最长的是第 {row} 行，{tokens} 个）"),
    hint=Text("raise `max_tokens`, or shorten the rows", "请调大 `max_tokens`，或缩短这些数据"),
    why=Text("What is cut is the end of the answer, so the model learns not to finish.",
             "被截掉的是回答的结尾，模型会学不会收尾。"),
    bad="rows of 6000 tokens with max_tokens: 1024", good="max_tokens: 8192",
)  # fmt: skip
NO_ANSWER_LEFT = rule(
    "data/no-answer-left", "warning",
    title=Text("Rows with nothing left to learn", "截断后无可学内容的数据行"),
    message=Text("{count} of {looked} rows measured have a prompt of {limit} tokens or more, so "
                 "that nothing is left of the answer (longest: row {row} with {tokens})",
                 "所测的 {looked} 行中有 {count} 行的提示达到或超过 {limit} 个词元，"
                 "回答会被全部截掉（最长的是第 {row} 行，{tokens} 个）"),
    hint=Text("raise `max_tokens`, or remove these rows", "请调大 `max_tokens`，或删掉这些行"),
    why=Text("Rows without a token to train on cost time, and give NaN when a whole batch is of "
             "such rows.",
             "没有可训练词元的行只会浪费时间；若整批都是这样的行，损失会是 NaN。"),
    bad="a prompt of 2000 tokens with max_tokens: 1024", good="max_tokens: 4096",
)  # fmt: skip
ROWS_TOO_LONG = rule(
    "data/rows-too-long", "error",
    title=Text("Rows that stop the training", "会中断训练的过长数据行"),
    message=Text("{count} of {looked} rows measured ({percent}%) are longer than {limit} tokens "
                 "(longest: row {row} with {tokens})",
                 "所测的 {looked} 行中有 {count} 行（{percent}%）超过 {limit} 个词元"
                 "（最长的是第 {row} 行，{tokens} 个）"),
    hint=Text("set `max_tokens: {tokens}`, or `truncation: right` to cut them",
              "请设 `max_tokens: {tokens}`，或设 `truncation: right` 将其截断"),
    why=Text("With `truncation: error` the framework stops at the first such row.",
             "`truncation: error` 时，框架遇到第一条这样的数据就会中断。"),
    bad="max_tokens: 512, truncation: error and a row of 558 tokens", good="max_tokens: 1024",
)  # fmt: skip
PROMPTS_LEFT_OUT = rule(
    "data/prompts-left-out", "info",
    title=Text("Prompts that are left out", "会被略过的提示"),
    message=Text("{count} of {looked} prompts measured ({percent}%) are longer than {limit} tokens "
                 "and left out (longest: row {row} with {tokens})",
                 "所测的 {looked} 条提示中有 {count} 条（{percent}%）超过 {limit} 个词元，会被略过"
                 "（最长的是第 {row} 行，{tokens} 个）"),
    hint=Text("raise `{parameter}` to keep them", "如需保留，请调大 `{parameter}`"),
    why=Text("`filter_long_prompts` is on.", "已开启 `filter_long_prompts`。"),
    bad="a prompt of 558 tokens with max_prompt_tokens: 512", good="max_prompt_tokens: 1024",
)  # fmt: skip
NO_PROMPT_LEFT = rule(
    "data/no-prompt-left", "error",
    title=Text("All prompts are left out", "所有提示都会被略过"),
    message=Text("all {count} prompts are longer than {limit} tokens and left out: nothing is "
                 "left to train on (longest: row {row} with {tokens})",
                 "全部 {count} 条提示都超过 {limit} 个词元，会被略过，没有可训练的数据"
                 "（最长的是第 {row} 行，{tokens} 个）"),
    hint=Text("raise `{parameter}`", "请调大 `{parameter}`"),
    why=Text("`filter_long_prompts` is on, and a framework without a single batch ends with an "
             "error of its sampler.",
             "已开启 `filter_long_prompts`，没有任何批次时，框架的采样器会报错退出。"),
    bad="max_prompt_tokens: 16 and rows with a system prompt of 200 tokens",
    good="max_prompt_tokens: 1024",
)  # fmt: skip
PROMPTS_CUT = rule(
    "data/prompts-cut", "warning",
    title=Text("Prompts that will be cut or skipped", "会被截断或跳过的提示"),
    message=Text("{count} of {looked} prompts measured ({percent}%) are longer than "
                 "`{parameter}: {limit}` (longest: row {row} with {tokens})",
                 "所测的 {looked} 条提示中有 {count} 条（{percent}%）超过 `{parameter}: {limit}`"
                 "（最长的是第 {row} 行，{tokens} 个）"),
    hint=Text("raise `{parameter}`, or shorten the prompts",
              "请调大 `{parameter}`，或缩短这些提示"),
    why=Text("Half a question has no right answer.", "残缺的问题没有正确答案。"),
    bad="a prompt of 558 tokens with max_prompt_tokens: 512", good="max_prompt_tokens: 1024",
)  # fmt: skip
DOUBLED_END = rule(
    "data/doubled-end", "warning",
    title=Text("Doubled end token", "结束词元重复"),
    message=Text("{count} of {looked} rows measured have the end token twice in a row in their "
                 "rendered text (first: row {row})",
                 "所测的 {looked} 行中有 {count} 行渲染后连续出现两个结束词元"
                 "（首次出现在第 {row} 行）"),
    hint=Text("remove the end token from the texts of the data: the chat template adds it",
              "请从数据文本中去掉结束词元，对话模板会自动加上"),
    why=Text("The model learns to end twice, and a benchmark or a chat then shows the token as "
             "text.",
             "模型会学着结束两次，评测或对话中就会冒出这个词元。"),
    bad='{"role": "assistant", "content": "hello<|im_end|>"}',
    good='{"role": "assistant", "content": "hello"}',
)  # fmt: skip
TEMPLATE_REFUSES = rule(
    "data/template-refuses", "error",
    title=Text("Conversation that the chat template refuses", "对话模板不接受的对话"),
    message=Text("row {row}: the model's chat template says: {problem} ({count} rows of the "
                 "sample)",
                 "第 {row} 行：模型的对话模板报错：{problem}（样本中共 {count} 行）"),
    hint=Text("bring the messages into the order the template wants, or give another template",
              "请按模板要求调整消息顺序，或换用其他模板"),
    why=Text("The job would stop at the same place.", "任务会停在同样的地方。"),
    bad="two messages of the user in a row, with a template that wants turns",
    good="user and assistant in turn",
)  # fmt: skip
