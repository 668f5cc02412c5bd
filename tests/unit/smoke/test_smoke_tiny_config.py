"""A model's config made tiny: what is kept, and what still has to divide."""

import copy

import pytest

from starforge.smoke.tiny_config import tiny_config

LLAMA = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
    "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
    "bos_token_id": 128000, "eos_token_id": [128001, 128009], "torch_dtype": "bfloat16",
    "rms_norm_eps": 1e-5, "tie_word_embeddings": False,
    "rope_scaling": {"rope_type": "llama3", "factor": 8.0},
}  # fmt: skip
QWEN_MOE = {
    "architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "hidden_size": 2048,
    "head_dim": 128, "num_attention_heads": 32, "num_key_value_heads": 4, "num_experts": 128,
    "num_experts_per_tok": 8, "moe_intermediate_size": 768, "intermediate_size": 6144,
    "num_hidden_layers": 48, "vocab_size": 151936, "mlp_only_layers": [0, 30],
    "max_window_layers": 48,
}  # fmt: skip
GPT2 = {
    "architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_embd": 768, "n_layer": 12,
    "n_head": 12, "n_positions": 1024, "vocab_size": 50257, "n_inner": None,
}  # fmt: skip
DEEPSEEK = {
    "model_type": "deepseek_v3", "hidden_size": 7168, "num_attention_heads": 128,
    "num_key_value_heads": 128, "num_hidden_layers": 61, "n_routed_experts": 256,
    "num_experts_per_tok": 8, "n_group": 8, "topk_group": 4, "first_k_dense_replace": 3,
    "n_shared_experts": 1, "q_lora_rank": 1536, "kv_lora_rank": 512, "vocab_size": 129280,
    "intermediate_size": 18432, "moe_intermediate_size": 2048,
}  # fmt: skip


@pytest.mark.parametrize("config", [LLAMA, QWEN_MOE, GPT2, DEEPSEEK], ids=lambda c: c["model_type"])
def test_what_tells_tokens_and_switches_is_kept(config):
    before = copy.deepcopy(config)
    tiny = tiny_config(config)
    assert config == before, "the original is not touched"
    kept = ("architectures", "model_type", "vocab_size", "max_position_embeddings", "n_positions",
            "bos_token_id", "eos_token_id", "rms_norm_eps", "tie_word_embeddings",
            "rope_scaling")  # fmt: skip
    assert {k: tiny.get(k) for k in kept} == {k: config.get(k) for k in kept}


def test_heads_divide_widths_and_groups():
    tiny = tiny_config(LLAMA)
    assert tiny["hidden_size"] % tiny["num_attention_heads"] == 0
    assert tiny["num_attention_heads"] % tiny["num_key_value_heads"] == 0
    assert tiny["num_key_value_heads"] < tiny["num_attention_heads"], "queries share keys as before"
    assert tiny["num_hidden_layers"] == 2
    assert tiny["torch_dtype"] == tiny["dtype"] == "float32"
    alone = tiny_config(LLAMA | {"num_key_value_heads": 32})
    assert alone["num_key_value_heads"] == alone["num_attention_heads"]


def test_experts_stay_experts():
    tiny = tiny_config(QWEN_MOE)
    assert 1 < tiny["num_experts_per_tok"] < tiny["num_experts"] <= 4
    assert tiny["mlp_only_layers"] == [0]
    assert tiny["max_window_layers"] == 2
    deep = tiny_config(DEEPSEEK)
    assert (deep["n_group"], deep["topk_group"], deep["first_k_dense_replace"]) == (1, 1, 1)
    assert deep["n_routed_experts"] % deep["n_group"] == 0


def test_every_kind_of_layer_stays():
    kinds = ["sliding_attention"] * 5 + ["full_attention"]
    tiny = tiny_config(LLAMA | {"layer_types": kinds * 4, "num_hidden_layers": 24})
    assert tiny["layer_types"] == ["sliding_attention", "full_attention"]
    one = tiny_config(LLAMA | {"layer_types": ["full_attention"] * 24, "num_hidden_layers": 24})
    assert one["layer_types"] == ["full_attention"] * 2
    assert one["num_hidden_layers"] == len(one["layer_types"])


def test_a_head_stays_as_wide_as_a_list_of_its_frequencies():
    scaling = {"type": "longrope", "short_factor": [1.0] * 48, "long_factor": [2.0] * 48}
    tiny = tiny_config(
        LLAMA | {"rope_scaling": scaling, "hidden_size": 3072, "num_attention_heads": 32}
    )
    assert tiny["hidden_size"] // tiny["num_attention_heads"] == 96


def test_parts_of_a_model_that_sees_are_tiny_too():
    whole = {"model_type": "gemma3", "text_config": LLAMA | {"model_type": "gemma3_text"},
             "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27,
                               "num_attention_heads": 16}}  # fmt: skip
    tiny = tiny_config(whole)
    assert tiny["text_config"]["num_hidden_layers"] == 2
    assert tiny["vision_config"]["num_hidden_layers"] == 2
    assert tiny["text_config"]["vocab_size"] == LLAMA["vocab_size"]


def test_a_reward_model_has_one_score():
    tiny = tiny_config(LLAMA, scores=True)
    assert tiny["architectures"] == ["LlamaForSequenceClassification"]
    assert tiny["num_labels"] == 1


def test_weights_are_not_quantized():
    assert "quantization_config" not in tiny_config(LLAMA | {"quantization_config": {"bits": 4}})
