"""A model's config.json made tiny: the same architecture, two layers, a few dimensions.

Kept are the vocabulary, special tokens, the length of the context, and all switches; smaller
are layers, widths, heads and experts, so that everything that has to divide still does.
"""

from __future__ import annotations

import copy
from typing import Any

LAYERS = 2
HEAD = 32  # dimensions of a head: the fewest that vLLM has kernels for
HEADS = 2
EXPERTS = 4
RANK = 32

LAYER_KEYS = ("num_hidden_layers", "n_layer", "num_layers", "n_layers", "num_decoder_layers",
              "encoder_layers", "decoder_layers", "depth")  # fmt: skip
HEAD_KEYS = ("num_attention_heads", "n_head", "num_heads", "n_heads", "encoder_attention_heads",
             "decoder_attention_heads")  # fmt: skip
WIDTH_KEYS = ("hidden_size", "n_embd", "d_model", "embed_dim", "word_embed_proj_dim",
              "embedding_size")  # fmt: skip
INNER_KEYS = ("intermediate_size", "n_inner", "ffn_dim", "d_ff", "encoder_ffn_dim",
              "decoder_ffn_dim", "moe_intermediate_size", "shared_expert_intermediate_size",
              "ffn_hidden_size", "intermediate_size_mlp")  # fmt: skip
EXPERT_KEYS = ("num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts")
CHOSEN_KEYS = ("num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_top_k", "moe_k",
               "experts_per_token")  # fmt: skip
RANK_KEYS = ("q_lora_rank", "kv_lora_rank")
PARTS = ("text_config", "vision_config", "audio_config", "llm_config", "language_config",
         "thinker_config", "decoder", "encoder")  # fmt: skip


def tiny_config(config: dict[str, Any], *, scores: bool = False) -> dict[str, Any]:
    """Return a tiny form of ``config``; with ``scores`` that of a reward model.

    Parts of models that also see or hear are made tiny as well.
    """
    made = _part(config)
    for name in PARTS:
        if isinstance(config.get(name), dict):
            made[name] = _part(config[name])
    for key in ("dtype", "torch_dtype"):
        if key in made:
            made[key] = "float32"
    made.setdefault("dtype", "float32")
    made.pop("quantization_config", None)
    if scores:
        made |= _scoring(made)
    return made


def _part(config: dict[str, Any]) -> dict[str, Any]:
    made = copy.deepcopy(config)
    layers = _layers(made)
    heads = _first(config, HEAD_KEYS)
    if heads is not None:
        _attention(config, made)
    for key in INNER_KEYS:
        _lower(made, key, 2 * HEADS * _head(config))
    for key in EXPERT_KEYS:
        _lower(made, key, EXPERTS)
    for key in CHOSEN_KEYS:
        _lower(made, key, 2)
    for key in RANK_KEYS:
        _lower(made, key, RANK)
    _lower(made, "n_shared_experts", 1)
    _linear_attention(made)
    _grouped_experts(made)
    _lower(made, "first_k_dense_replace", 1)
    _lower(made, "max_window_layers", layers)
    if isinstance(made.get("mlp_only_layers"), list):
        made["mlp_only_layers"] = [one for one in made["mlp_only_layers"] if one < layers]
    return made


def _layers(made: dict[str, Any]) -> int:
    """Lower the number of layers; where they are of several kinds, one of each stays."""
    for key in LAYER_KEYS:
        _lower(made, key, LAYERS)
    _periods(made)
    kinds = made.get("layer_types")
    if not isinstance(kinds, list):
        return LAYERS
    chosen = list(dict.fromkeys(kinds))
    chosen += kinds[: max(0, LAYERS - len(chosen))]
    made["layer_types"] = chosen
    for key in LAYER_KEYS:
        if key in made:
            made[key] = len(chosen)
    return len(chosen)


def _periods(made: dict[str, Any]) -> None:
    """Where every n-th layer is of another kind, let it be the second."""
    for key in ("full_attention_interval", "sliding_window_pattern"):
        _lower(made, key, LAYERS)
    for kind in ("attn", "expert"):
        if isinstance(made.get(f"{kind}_layer_period"), int):
            made[f"{kind}_layer_period"], made[f"{kind}_layer_offset"] = LAYERS, 1


def _attention(config: dict[str, Any], made: dict[str, Any]) -> None:
    head = _head(config)
    shared = config.get("num_key_value_heads") or config.get("num_kv_heads")
    own = _first(config, HEAD_KEYS)
    for key in HEAD_KEYS:
        _lower(made, key, HEADS)
    for key in ("num_key_value_heads", "num_kv_heads"):
        if isinstance(made.get(key), int):
            made[key] = HEADS if shared == own else 1
    heads = _first(made, HEAD_KEYS) or HEADS
    for key in WIDTH_KEYS:
        if isinstance(made.get(key), int):
            made[key] = heads * head
    _lower(made, "rotary_dim", head)
    if "qk_rope_head_dim" in made:
        return  # latent attention: its heads have parts with sizes of their own
    for key in ("head_dim", "d_kv", "query_pre_attn_scalar"):
        if isinstance(made.get(key), int | float):
            made[key] = head


def _linear_attention(made: dict[str, Any]) -> None:
    """Layers of linear attention have heads of their own; values may have more than keys."""
    shared = made.get("linear_num_key_heads") != made.get("linear_num_value_heads")
    _lower(made, "linear_num_value_heads", HEADS)
    _lower(made, "linear_num_key_heads", 1 if shared else HEADS)
    for key in ("linear_key_head_dim", "linear_value_head_dim"):
        _lower(made, key, HEAD)


def _head(config: dict[str, Any]) -> int:
    """Return the dimensions of a head: as they are where something lists a number for each."""
    own = config.get("head_dim")
    width, heads = _first(config, WIDTH_KEYS), _first(config, HEAD_KEYS)
    if not isinstance(own, int):
        own = width // heads if width and heads else HEAD
    scaling = config.get("rope_scaling") or config.get("rope_parameters") or {}
    listed = isinstance(scaling, dict) and any(isinstance(one, list) for one in scaling.values())
    return own if listed else HEAD


def _grouped_experts(made: dict[str, Any]) -> None:
    """Experts that are chosen group by group: one group of all."""
    for key in ("n_group", "topk_group"):
        if isinstance(made.get(key), int):
            made[key] = 1


def _scoring(made: dict[str, Any]) -> dict[str, Any]:
    names = made.get("architectures") or []
    scores = [str(name) for name in names]
    if not any("Classification" in name for name in scores):
        scores = [name.replace("ForCausalLM", "ForSequenceClassification") for name in scores]
    changed: dict[str, Any] = {"architectures": scores, "num_labels": 1}
    return changed | {"id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}}


def _lower(made: dict[str, Any], key: str, most: int) -> None:
    value = made.get(key)
    if isinstance(value, int) and not isinstance(value, bool) and value > most:
        made[key] = most


def _first(config: dict[str, Any], keys: tuple[str, ...]) -> int | None:
    return next((config[key] for key in keys if isinstance(config.get(key), int)), None)
