"""A model folder with a real tokenizer, made on the spot: one token a byte."""

import json
from pathlib import Path
from typing import Any

END = "<|end|>"
TEMPLATE = (
    "{% for m in messages %}<|start|>{{ m['role'] }}\n"
    "{% if m['role'] == 'assistant' %}{% generation %}{{ m['content'] }}<|end|>"
    "{% endgeneration %}{% else %}{{ m['content'] }}<|end|>{% endif %}\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)


def make_model(folder: Path, *, template: str | None = TEMPLATE, **config: Any) -> Path:
    """Write config, tokenizer and empty weights; ``config`` replaces keys of config.json."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    folder.mkdir(parents=True, exist_ok=True)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(letters)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(t) for t in ("<|start|>", END)])
    tokenizer.save(str(folder / "tokenizer.json"))
    written = {"eos_token": END, **({"chat_template": template} if template else {})}
    (folder / "tokenizer_config.json").write_text(json.dumps(written), "utf-8")
    values = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": 258}
    (folder / "config.json").write_text(json.dumps({**values, **config}), "utf-8")
    header = b"{}"
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    return folder
