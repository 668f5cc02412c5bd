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
