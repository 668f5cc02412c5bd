"""Rules about model folders."""

from __future__ import annotations

from starforge.findings import rule
from starforge.i18n import Text

NO_CONFIG = rule(
    "model/no-config", "error",
    title=Text("Not a model folder", "不是模型目录"),
    message=Text("{model} has no config.json", "{model} 里没有 config.json"),
    hint=Text("{way.en}", "{way.zh}"),
    why=Text("config.json says what the weights are; without it nothing can load them.",
             "config.json 说明权重的结构，没有它就无法加载。"),
    bad="model: downloads", good="model: models/SmolLM2-135M-Instruct",
)  # fmt: skip
BAD_CONFIG = rule(
    "model/bad-config", "error",
    title=Text("Model config can't be read", "模型配置无法读取"),
    message=Text("{model}/config.json: {problem.en}", "{model} 的 config.json：{problem.zh}"),
    hint=Text("copy or download the model again", "请重新复制或下载模型"),
    why=Text("The framework reads the architecture from this file.", "框架从此文件读取模型结构。"),
    bad="a config.json cut in half", good='{"architectures": ["LlamaForCausalLM"]}',
)  # fmt: skip
NO_WEIGHTS = rule(
    "model/no-weights", "error",
    title=Text("Model without weights", "模型缺少权重"),
    message=Text("{model}: {problem.en}", "{model} 的权重不完整：{problem.zh}"),
    hint=Text("copy or download the model again", "请重新复制或下载模型"),
    why=Text("Training would stop when it loads the model.", "训练在加载模型时就会停止。"),
    bad="a folder with config.json only", good="config.json and model.safetensors",
)  # fmt: skip
DAMAGED_WEIGHTS = rule(
    "model/damaged-weights", "error",
    title=Text("Damaged weights", "权重文件损坏"),
    message=Text("{model}/{file} is not as long as its own header says",
                 "{model}/{file} 的长度与其文件头不符"),
    hint=Text("copy or download the file again", "请重新复制或下载该文件"),
    why=Text("A download or copy was cut short.", "下载或复制中途断开过。"),
    bad="model.safetensors cut in half", good="model.safetensors as downloaded",
)  # fmt: skip
NO_TOKENIZER = rule(
    "model/no-tokenizer", "error",
    title=Text("Model without tokenizer", "模型缺少分词器"),
    message=Text("{model} has no tokenizer (tokenizer.json or tokenizer.model)",
                 "{model} 里没有分词器（tokenizer.json 或 tokenizer.model）"),
    hint=Text("copy the tokenizer files of the model it comes from",
              "请从原模型复制分词器文件"),
    why=Text("Text can't be turned into tokens without it.", "没有它就无法把文本转换成词元。"),
    bad="config.json and model.safetensors only",
    good="config.json, model.safetensors and tokenizer.json",
)  # fmt: skip
NO_CHAT_TEMPLATE = rule(
    "model/no-chat-template", "error",
    title=Text("Messages without a chat template", "消息数据缺少对话模板"),
    message=Text("the data holds messages, but the tokenizer of {model} has no chat template",
                 "数据是对话消息，但 {model} 的分词器没有对话模板"),
    hint=Text("set `chat_template` to a Jinja file or to a model that has one, or use text "
              "columns (prompt and completion, or text)",
              "请把 `chat_template` 设为 Jinja 文件或带模板的模型，或改用文本列"
              "（prompt 与 completion，或 text）"),
    why=Text("The template decides how roles and messages become one text. Base models have none.",
             "模板决定角色和消息如何拼成文本；基座模型通常没有模板。"),
    bad="model: models/base with rows of messages",
    good="model: models/base\nparams: {chat_template: chat.jinja}",
)  # fmt: skip
UNKNOWN_ARCHITECTURE = rule(
    "model/unknown-architecture", "error",
    title=Text("Architecture that the framework doesn't know", "框架不认识的模型结构"),
    message=Text("{model} is of the type `{kind}`, which transformers {version} of {method} "
                 "does not know",
                 "{model} 的类型是 `{kind}`，{method} 所用的 transformers {version} 不认识"),
    hint=Text("take a model of a type it knows, or a method of a framework with a newer "
              "transformers",
              "请换用它认识的模型，或改用 transformers 更新的框架中的方法"),
    why=Text("The framework stops when it loads the model.", "框架在加载模型时就会中断。"),
    bad='"model_type": "lama"', good='"model_type": "llama"',
)  # fmt: skip
NO_LANGUAGE_MODEL = rule(
    "model/no-language-model", "error",
    title=Text("Not a language model", "不是语言模型"),
    message=Text("{model} is a {architecture}; {method} needs a model that writes text",
                 "{model} 是 {architecture}；{method} 需要能生成文本的模型"),
    hint=Text("take the model it was made from, or an instruct model",
              "请使用它的原模型，或指令模型"),
    why=Text("Without the layer that predicts tokens, one with random weights is made, or loading "
             "fails.",
             "缺少预测词元的输出层时，框架会随机初始化一个，或直接加载失败。"),
    bad='"architectures": ["BertForSequenceClassification"]',
    good='"architectures": ["LlamaForCausalLM"]',
)  # fmt: skip
CONTEXT_EXCEEDED = rule(
    "model/context-exceeded", "error",
    title=Text("Longer than the model's context", "超出模型的上下文长度"),
    message=Text("sequences may have {needed} tokens (`{parameter}`), but {model} has a context "
                 "of {limit}",
                 "序列最长可达 {needed} 个词元（`{parameter}`），"
                 "而 {model} 的上下文只有 {limit} 个"),
    hint=Text("lower `{parameter}` (prompts count too), or take a model with a longer context",
              "请调小 `{parameter}`（提示也计算在内），或换用上下文更长的模型"),
    why=Text("The engine that samples answers refuses to start.", "负责采样的推理引擎会拒绝启动。"),
    bad="max_model_tokens: 65536 with a model of 8192", good="max_model_tokens: 8192",
)  # fmt: skip
BEYOND_CONTEXT = rule(
    "model/beyond-context", "warning",
    title=Text("Rows may be longer than the model's context", "数据可能超出模型的上下文长度"),
    message=Text("rows may have {needed} tokens (`{parameter}`), but {model} has a context of "
                 "{limit}",
                 "数据最长可达 {needed} 个词元（`{parameter}`），"
                 "而 {model} 的上下文只有 {limit} 个"),
    hint=Text("lower `{parameter}` to {limit}", "请把 `{parameter}` 调小到 {limit}"),
    why=Text("Positions the model was never trained on give poor results, and some models fail.",
             "模型没有训练过的位置效果很差，有的模型会直接报错。"),
    bad="max_tokens: 65536 with a model of 8192", good="max_tokens: 8192",
)  # fmt: skip
TEMPLATE_NEEDED = rule(
    "model/template-needed", "error",
    title=Text("Model without a chat template", "模型缺少对话模板"),
    message=Text("{method} makes a conversation of every row, but the tokenizer of {model} has no "
                 "chat template",
                 "{method} 会把每一行变成对话，但 {model} 的分词器没有对话模板"),
    hint=Text("take an instruct model, or set `{path}` in config.yaml",
              "请使用指令模型，或在 config.yaml 中设置 `{path}`"),
    why=Text("The template decides how roles and messages become one text. Base models have none.",
             "模板决定角色和消息如何拼成文本；基座模型通常没有模板。"),
    bad="model: models/base", good="model: models/base-instruct",
)  # fmt: skip
TEACHER_TOKENIZER = rule(
    "model/teacher-tokenizer", "error",
    title=Text("Teacher with another tokenizer", "教师模型的分词器不同"),
    message=Text("the tokenizers of teacher ({teacher} tokens) and model ({student}) differ in "
                 "{count} tokens",
                 "教师模型（{teacher} 个词元）与被训练模型（{student} 个）的分词器"
                 "有 {count} 个词元不同"),
    hint=Text("choose a teacher of the same family", "请选择同一系列的教师模型"),
    why=Text("The teacher judges the student's tokens by their numbers, which must mean the same.",
             "教师按编号评判学生的词元，编号的含义必须一致。"),
    bad="model: models/qwen-0.5b\nteacher: models/llama-8b",
    good="model: models/qwen-0.5b\nteacher: models/qwen-7b",
)  # fmt: skip
