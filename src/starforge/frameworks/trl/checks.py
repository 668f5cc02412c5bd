"""What the pinned TRL, or the runtime it lies in, refuses when a job starts."""

from __future__ import annotations

from collections.abc import Iterator

from starforge.checks.rounding import check_rounding
from starforge.checks.schedule import check_schedule
from starforge.findings import Finding, rule
from starforge.frameworks.trl.check_models import check_models
from starforge.frameworks.trl.check_no_effect import check_no_effect
from starforge.frameworks.trl.check_online import check_online
from starforge.frameworks.trl.check_preferences import check_preferences
from starforge.frameworks.trl.precision import in_place
from starforge.frameworks.trl.schedule import schedule
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

ATTENTION = rule(
    "trl/attention", "error",
    title=Text("Attention that the runtime does not have", "运行环境没有这种注意力实现"),
    message=Text("`{value}` needs a package that the runtime of {pin} does not hold",
                 "`{value}` 需要的软件包不在 {pin} 的运行环境中"),
    hint=Text("leave `attention` empty, or set it to `sdpa` or `eager`",
              "请把 `attention` 留空，或设为 `sdpa`、`eager`"),
    why=Text("Loading the model would fail.", "加载模型时会失败。"),
    bad="params: {attention: flash_attention_2}", good="params: {attention: sdpa}",
)  # fmt: skip
PADDING_FREE = rule(
    "trl/padding-free", "error",
    title=Text("Padding-free training that is not cut", "无填充训练与长度限制冲突"),
    message=Text("`padding_free` without `packing` can't keep to `max_tokens: {limit}`",
                 "只开 `padding_free` 而不开 `packing` 时，无法遵守 `max_tokens: {limit}`"),
    hint=Text("set `packing: true`, or `max_tokens: null`",
              "请设 `packing: true`，或设 `max_tokens: null`"),
    why=Text("TRL refuses to start, since it would train on sequences of any length.",
             "TRL 会拒绝启动，因为那样序列长度不受限制。"),
    bad="padding_free: true", good="padding_free: true\npacking: true",
)  # fmt: skip
LORA_HEAD = rule(
    "trl/lora-head", "error",
    title=Text("Adapter on the output layer", "输出层上的适配器"),
    message=Text("`lora_targets` names `lm_head`, which {what} does not support",
                 "`lora_targets` 中有 `lm_head`，而{what}不支持它"),
    hint=Text("remove `lm_head`{or_else}", "请去掉 `lm_head`{or_else}"),
    why=Text("TRL refuses to start: it would read the output weights without the adapter.",
             "TRL 会拒绝启动：那样会直接读取输出层权重，绕过适配器。"),
    bad="params: {lora: true, lora_targets: [q_proj, lm_head]}",
    good="params: {lora: true, lora_targets: [q_proj, v_proj]}",
)  # fmt: skip

IN_RUNTIME = ("eager", "sdpa", "flex_attention")


def check(context: PrepareContext) -> list[Finding]:
    """Return the findings that only hold for this pin."""
    return [*_any_method(context), *check_preferences(context), *check_online(context),
            *check_models(context), *check_no_effect(context),
            *check_rounding(context, in_place(context)),
            *check_schedule(context, schedule(context))]  # fmt: skip


def _any_method(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    attention = config.get("attn_implementation")
    if attention is not None and attention not in IN_RUNTIME:
        at, pin = config.at("attn_implementation"), context.recipe.pin
        yield ATTENTION.at(at, value=attention, pin=pin)
    limit = config.get("max_length")
    # DPO has the key, but the pinned version switches it off: it is in the recipe's `ignored`.
    if config.get("padding_free") and not config.get("packing") and limit is not None:
        yield PADDING_FREE.at(config.at("padding_free"), limit=limit)
    what, or_else = _without_head_adapter(context)
    targets = config.get("lora_target_modules") or []
    if what is not None and config.get("use_peft") and "lm_head" in targets:
        yield LORA_HEAD.at(config.at("lora_target_modules"), what=what, or_else=or_else)


def _without_head_adapter(context: PrepareContext) -> tuple[Text | None, Text]:
    """Say what reads the output layer without its adapter, and what else could be done."""
    config, none = context.config, Text("", "")
    if context.recipe.config == "sft" and config.get("loss_type") in (None, "chunked_nll"):
        other = Text(", or set `loss_type: nll`", "，或设 `loss_type: nll`")
        return Text("the loss `chunked_nll`", "损失 `chunked_nll` "), other
    if context.recipe.config == "opsd":
        return Text("distillation", "蒸馏"), none
    if config.get("cast_lm_head_to_fp32"):
        return Text("`fp32_head`", " `fp32_head` "), Text(
            ", or set `fp32_head: false`", "，或设 `fp32_head: false`"
        )
    return None, none
