"""Settings that TRL accepts and does not use, because another one is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from starforge.findings import Finding, rule
from starforge.i18n import Text
from starforge.lab.context import PrepareContext
from starforge.lab.resolved import ResolvedConfig

NO_EFFECT = rule(
    "trl/no-effect", "warning",
    title=Text("A setting that does nothing", "不起作用的设置"),
    message=Text("`{key}` does nothing without {needs}", "没有 {needs} 时，`{key}` 不起作用"),
    hint=Text("set that as well, or remove `{key}`", "请一并设置，或删除 `{key}`"),
    why=Text("TRL reads it only then, and says nothing.", "TRL 只在那种情况下读取它，且不会提示。"),
    bad="params: {sync_reference_steps: 100}",
    good="params: {sync_reference_steps: 100, sync_reference: true}",
)  # fmt: skip

Needs = tuple[Callable[[ResolvedConfig], bool], str]


def _losses(config: ResolvedConfig) -> list[str]:
    value = config.get("loss_type")
    return value if isinstance(value, list) else [value]


def _loss(*names: str) -> Needs:
    said = " / ".join(names)
    return (lambda config: not set(names).isdisjoint(_losses(config)), f"the loss `{said}`")


def _on(key: str, said: str) -> Needs:
    return (lambda config: bool(config.get(key)), f"`{said}`")


_VALIDATION: Needs = (lambda config: config.get("eval_strategy") != "no", "`validation_strategy`")
_SYNC = _on("sync_ref_model", "sync_reference: true")
_ENTROPY = _on("use_adaptive_entropy", "adaptive_entropy: true")
_SMOOTHING = _loss("robust", "exo_pair", "aot", "aot_unpaired")
_ALPHA: Needs = (
    lambda config: config.get("f_divergence_type") == "alpha_divergence",
    "`divergence: alpha_divergence`",
)

# Native key -> what must hold for it to be read.
NEEDS: dict[str, Needs] = {
    "ref_model_sync_steps": _SYNC,
    "ref_model_mixup_alpha": _SYNC,
    "precompute_ref_batch_size": _on("precompute_ref_log_probs", "precompute_reference: true"),
    "label_smoothing": _SMOOTHING,
    "discopop_tau": _loss("discopop"),
    "f_alpha_divergence_coef": _ALPHA,
    "sapo_temperature_pos": _loss("sapo"),
    "sapo_temperature_neg": _loss("sapo"),
    "vespo_k_pos": _loss("vespo"),
    "vespo_lambda_pos": _loss("vespo"),
    "vespo_k_neg": _loss("vespo"),
    "vespo_lambda_neg": _loss("vespo"),
    "entropy_target": _ENTROPY,
    "entropy_coef_delta": _ENTROPY,
    "entropy_coef_min": _ENTROPY,
    "entropy_coef_max": _ENTROPY,
    "use_bias_correction_kl": _on("beta", "kl_coef"),
    "num_generations_eval": _VALIDATION,
    "metric_for_best_model": _on("load_best_model_at_end", "save_best: true"),
}


def check_no_effect(context: PrepareContext) -> Iterator[Finding]:
    """Yield one finding for each setting of the user's that would be ignored."""
    config = context.config
    for path, (holds, said) in NEEDS.items():
        if path in config.values and config.is_set_by_user(path) and not holds(config):
            parameter = next((n for n, p in config.paths.items() if p == path), path)
            yield NO_EFFECT.at(config.at(path), key=parameter, needs=_needs(said))


def _needs(said: str) -> Text:
    return Text(said, said.replace("the loss ", "损失 "))
