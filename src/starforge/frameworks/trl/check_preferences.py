"""What the pinned TRL refuses of DPO and KTO."""

from __future__ import annotations

from collections.abc import Iterator

from starforge.findings import Finding, rule
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

KTO_BATCH = rule(
    "trl/kto-batch", "error",
    title=Text("KTO needs at least two rows in a batch", "KTO 每批至少需要两行"),
    message=Text("`batch_size` is {value}, but the loss `kto` needs at least 2 rows on a device",
                 "`batch_size` 为 {value}，而损失 `kto` 要求每张卡每批至少 2 行"),
    hint=Text("set `batch_size: 2` or more, or `preference_loss: apo_zero_unpaired`",
              "请设 `batch_size: 2` 或更大，或设 `preference_loss: apo_zero_unpaired`"),
    why=Text("The distance to the reference is estimated by pairing each prompt with another "
             "row's answer; with one row TRL refuses to start.",
             "与参考模型的距离是拿每个提示配上别的行的回答来估计的；只有一行时 TRL 会拒绝启动。"),
    bad="params: {batch_size: 1}", good="params: {batch_size: 4}",
)  # fmt: skip
KTO_ORDER = rule(
    "trl/kto-order", "error",
    title=Text("KTO must keep the order of rows", "KTO 必须保持数据行的顺序"),
    message=Text("the loss `kto` can't be trained with `train_sampling_strategy: {value}`",
                 "损失 `kto` 不能与 `train_sampling_strategy: {value}` 同用"),
    hint=Text("remove it (upstream's default is `sequential`), or set "
              "`preference_loss: apo_zero_unpaired`",
              "请删除它（上游默认为 `sequential`），或设 `preference_loss: apo_zero_unpaired`"),
    why=Text("The answers that each prompt is compared with are chosen beforehand, in the order "
             "of the file. Shuffle the file itself if its rows are sorted.",
             "与每个提示对比的回答是按文件顺序事先选好的。若数据已排序，请先打乱文件本身。"),
    bad="train_sampling_strategy: random", good="train_sampling_strategy: sequential",
)  # fmt: skip
EXO_SMOOTHING = rule(
    "trl/exo-smoothing", "error",
    title=Text("exo_pair without label smoothing", "exo_pair 缺少标签平滑"),
    message=Text("the loss `exo_pair` needs `label_smoothing` above 0",
                 "损失 `exo_pair` 要求 `label_smoothing` 大于 0"),
    hint=Text("set `label_smoothing: 0.001`", "请设 `label_smoothing: 0.001`"),
    why=Text("TRL refuses to start: the loss takes a logarithm of it.",
             "TRL 会拒绝启动：该损失要对它取对数。"),
    bad="params: {preference_loss: [exo_pair]}",
    good="params: {preference_loss: [exo_pair], label_smoothing: 0.001}",
)  # fmt: skip
DIVERGENCE = rule(
    "trl/divergence", "error",
    title=Text("Divergence that the loss does not have", "损失不支持该散度"),
    message=Text("`divergence: {value}` does not go with the loss {losses}",
                 "`divergence: {value}` 不能与损失 {losses} 同用"),
    hint=Text("set `divergence: reverse_kl`, or use only {known}",
              "请设 `divergence: reverse_kl`，或只使用 {known}"),
    why=Text("Only losses of the difference between the two answers have other divergences; TRL "
             "refuses the rest.",
             "只有基于两个回答之差的损失才支持其他散度，其余的 TRL 会拒绝。"),
    bad="params: {preference_loss: [nca_pair], divergence: forward_kl}",
    good="params: {preference_loss: [sigmoid], divergence: forward_kl}",
)  # fmt: skip
LOSS_WEIGHTS = rule(
    "trl/loss-weights", "error",
    title=Text("As many weights as losses", "权重与损失的数量不一致"),
    message=Text("`preference_loss_weights` has {weights} entries, `preference_loss` {losses}",
                 "`preference_loss_weights` 有 {weights} 项，而 `preference_loss` 有 {losses} 项"),
    hint=Text("give one weight for each loss, in the same order", "请按相同顺序给每种损失一个权重"),
    why=Text("TRL refuses to start.", "TRL 会拒绝启动。"),
    bad="params: {preference_loss: [sigmoid, sft], preference_loss_weights: [1.0]}",
    good="params: {preference_loss: [sigmoid, sft], preference_loss_weights: [1.0, 0.2]}",
)  # fmt: skip
PAIR_WEIGHTING = rule(
    "trl/pair-weighting", "error",
    title=Text("Pair weights with a loss that sorts", "会排序的损失不能给样本对加权"),
    message=Text("`pair_weighting` does not go with the loss `{loss}`",
                 "`pair_weighting` 不能与损失 `{loss}` 同用"),
    hint=Text("set `pair_weighting: false`, or another loss",
              "请设 `pair_weighting: false`，或改用其他损失"),
    why=Text("That loss sorts the answers of a batch, so a weight would meet another pair.",
             "该损失会对一批回答排序，权重会错配到别的样本对上。"),
    bad="params: {preference_loss: [aot], pair_weighting: true}",
    good="params: {preference_loss: [sigmoid], pair_weighting: true}",
)  # fmt: skip
REFERENCE_SYNC = rule(
    "trl/reference-sync", "error",
    title=Text("No reference that could move", "没有可同步的参考模型"),
    message=Text("`sync_reference` does not go with {what}", "`sync_reference` 不能与{what}同用"),
    hint=Text("set `sync_reference: false`, or change that",
              "请设 `sync_reference: false`，或改动后者"),
    why=Text("TRL refuses to start: there is no reference model, or a fixed one is taken for "
             "granted.",
             "TRL 会拒绝启动：此时没有单独的参考模型，或假定参考模型固定不变。"),
    bad="params: {lora: true, sync_reference: true}", good="params: {lora: true}",
)  # fmt: skip

# The losses of the difference between chosen and rejected, from the pinned trainer.
OF_DIFFERENCES = (
    "sigmoid",
    "sigmoid_norm",
    "hinge",
    "ipo",
    "exo_pair",
    "robust",
    "discopop",
    "sft",
)


def check_preferences(context: PrepareContext) -> Iterator[Finding]:
    """Yield the findings about losses on given answers, and about the reference model."""
    if context.recipe.config == "kto":
        yield from _kto(context)
    if context.recipe.config == "dpo":
        yield from _dpo(context)
    yield from _reference(context)


def _kto(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    if config.get("loss_type") != "kto":
        return
    rows = config.get("per_device_train_batch_size")
    if rows < 2:
        yield KTO_BATCH.at(config.at("per_device_train_batch_size"), value=rows)
    order = config.get("train_sampling_strategy")
    if order != "sequential":
        yield KTO_ORDER.at(config.at("train_sampling_strategy"), value=order)


def _dpo(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    losses = config.get("loss_type")
    if "exo_pair" in losses and not config.get("label_smoothing"):
        yield EXO_SMOOTHING.at(config.at("loss_type"))
    divergence = config.get("f_divergence_type")
    others = [loss for loss in losses if loss not in OF_DIFFERENCES]
    if divergence != "reverse_kl" and others:
        at, named = config.at("f_divergence_type"), ", ".join(f"`{loss}`" for loss in others)
        known = ", ".join(OF_DIFFERENCES)
        yield DIVERGENCE.at(at, value=divergence, losses=named, known=known)
    weights = config.get("loss_weights")
    if weights is not None and len(weights) != len(losses):
        at = config.at("loss_weights")
        yield LOSS_WEIGHTS.at(at, weights=len(weights), losses=len(losses))
    sorting = next((loss for loss in losses if loss in ("aot", "aot_unpaired")), None)
    if config.get("use_weighting") and sorting:
        yield PAIR_WEIGHTING.at(config.at("use_weighting"), loss=sorting)


def _reference(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    if not config.get("sync_ref_model"):
        return
    at = config.at("sync_ref_model")
    if config.get("use_peft"):
        yield REFERENCE_SYNC.at(at, what=Text("`lora`", " `lora` "))
    if config.get("precompute_ref_log_probs"):
        what = Text("`precompute_reference`", " `precompute_reference` ")
        yield REFERENCE_SYNC.at(at, what=what)
    if context.recipe.config in ("grpo", "rloo") and not config.get("beta"):
        yield REFERENCE_SYNC.at(at, what=Text("`kl_coef: 0`", " `kl_coef: 0` "))
