"""What only the pinned TRL refuses."""

import pytest

from starforge.frameworks import get


@pytest.mark.parametrize(
    ("code", "bad", "good"),
    [
        ("trl/attention", {"params": {"attention": "flash_attention_2"}},
         {"params": {"attention": "sdpa"}}),
        ("trl/padding-free", {"config": {"padding_free": True}},
         {"config": {"padding_free": True, "packing": True}}),
        ("trl/padding-free", {"config": {"padding_free": True}},
         {"config": {"padding_free": True}, "params": {"max_tokens": None}}),
        ("trl/lora-head", {"params": {"lora": True, "lora_targets": ["q_proj", "lm_head"]}},
         {"params": {"lora": True, "lora_targets": ["lm_head"], "loss_type": "nll"}}),
    ],
)  # fmt: skip
def test_rule(make_context, code, bad, good):
    (found,) = get("trl").checks(make_context(**bad))
    assert found.code == code
    assert found.at.line == 1
    assert get("trl").checks(make_context(**good)) == []


def test_an_optimizer_that_the_runtime_lacks_is_refused_under_either_name(make_context):
    for keys in ({"config": {"optim": "adamw_bnb_8bit"}}, {"params": {"optimizer": "adalomo"}}):
        with pytest.raises(AssertionError, match="config/not-a-choice"):
            make_context(**keys)
