"""``starforge:tiny``: a tiny random language model, made inside the runtime in a second.

It has a byte-level tokenizer, so it takes any text in any language, a chat template with
marked assistant turns, and about 115,000 random weights that are the same every time. It
exists to try an experiment out, not to be good at anything.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

REFERENCE = "starforge:tiny"
SEED = 20240229
PAD, BEGIN, END = "<|pad|>", "<|im_start|>", "<|im_end|>"
CHAT_TEMPLATE = (
    "{%- for message in messages %}"
    "{{- '<|im_start|>' + message['role'] + '\\n' }}"
    "{%- if message['role'] == 'assistant' %}"
    "{%- generation %}{{- message['content'] + '<|im_end|>' }}{%- endgeneration %}"
    "{%- else %}"
    "{{- message['content'] + '<|im_end|>' }}"
    "{%- endif %}"
    "{{- '\\n' }}"
    "{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"
)


def ensure(folder: Path, seed: int = SEED) -> Path:
    """Make the model in ``folder`` unless it is there; safe when several processes do so."""
    if (folder / "config.json").exists():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f"{folder.name}-", dir=folder.parent))
    try:
        _tokenizer().save_pretrained(fresh)
        _model(seed).save_pretrained(fresh)
        fresh.chmod(0o755)
        fresh.rename(folder)
    except OSError:
        # Another process was first: its folder is as good as ours.
        if not (folder / "config.json").exists():
            raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return folder


def resolve(reference: str, scratch: Path, role: str = "model") -> str:
    """Return ``reference``, or the folder of the tiny model below ``scratch`` when it names it.

    As ``teacher`` it has other weights: from a twin of itself the model could learn nothing.
    """
    if reference != REFERENCE:
        return reference
    return os.fspath(ensure(scratch / f"tiny-{role}", SEED + (role == "teacher")))


def name_in(adapter: Path, reference: str) -> None:
    """Let an adapter of the tiny model name it: the folder it was made in goes with the attempt."""
    config = adapter / "adapter_config.json"
    if reference == REFERENCE and config.is_file():
        found = json.loads(config.read_text("utf-8")) | {"base_model_name_or_path": REFERENCE}
        config.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def with_base(adapter: Path, scratch: Path) -> Path:
    """Return an adapter whose base can be loaded: a copy beside the tiny model, if that is it."""
    config = json.loads((adapter / "adapter_config.json").read_text("utf-8"))
    if config.get("base_model_name_or_path") != REFERENCE:
        return adapter
    copy = scratch / "adapter"
    shutil.copytree(adapter, copy)
    config["base_model_name_or_path"] = os.fspath(ensure(scratch / "tiny-model"))
    (copy / "adapter_config.json").write_text(json.dumps(config), "utf-8")
    return copy


def _tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: index for index, token in enumerate([PAD, BEGIN, END, *letters])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        pad_token=PAD,
        bos_token=BEGIN,
        eos_token=END,
        additional_special_tokens=[BEGIN, END],
        model_max_length=2048,
        clean_up_tokenization_spaces=False,
    )
    made.chat_template = CHAT_TEMPLATE
    return made


def _model(seed: int):
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=264,  # 256 bytes, 3 special tokens, rounded up to a multiple of 8
        hidden_size=64,
        intermediate_size=192,
        num_hidden_layers=2,
        num_attention_heads=2,  # 32 dimensions a head, the fewest that vLLM has kernels for
        num_key_value_heads=1,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        pad_token_id=0,
        bos_token_id=1,
        eos_token_id=2,
        dtype="float32",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LlamaForCausalLM(config)
