"""Checks of what a job asks of the machine."""

from __future__ import annotations

from starforge.checks.model import weight_bytes
from starforge.findings import Finding, rule
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

LARGE_ON_CPU = 3_000_000_000  # bytes of weights

GPUS_NEEDED = rule(
    "resources/gpus-needed", "error",
    title=Text("Too few GPUs", "GPU 不足"),
    message=Text("{method} needs at least {needed} GPUs, `{profile}` gives {given}",
                 "{method} 至少需要 {needed} 张 GPU，`{profile}` 只有 {given} 张"),
    hint=Text("write `resources: gpu:{needed}`", "请写 `resources: gpu:{needed}`"),
    why=Text("The method can't start with fewer.", "GPU 不够，方法无法启动。"),
    bad="resources: local", good="resources: gpu:1",
)  # fmt: skip
CPUS_FEW = rule(
    "resources/few-cpus", "warning",
    title=Text("Fewer CPUs than usual", "CPU 偏少"),
    message=Text("{method} is meant to have {needed} CPUs, `{profile}` gives {given}",
                 "{method} 通常需要 {needed} 个 CPU，`{profile}` 只有 {given} 个"),
    hint=Text("write `resources: cpu:{needed}`", "可写 `resources: cpu:{needed}`"),
    why=Text("The job runs, but slowly.", "任务可以运行，但会很慢。"),
    bad="resources: cpu:1", good="resources: cpu:4",
)  # fmt: skip
LARGE_MODEL_ON_CPU = rule(
    "resources/large-model-on-cpu", "warning",
    title=Text("Large model without a GPU", "大模型没有 GPU"),
    message=Text("{model} has {size} GB of weights, and the job has no GPU",
                 "{model} 的权重有 {size} GB，而任务没有 GPU"),
    hint=Text("write `resources: gpu:1`, or try a smaller model first",
              "请写 `resources: gpu:1`，或先用小一些的模型"),
    why=Text("On CPUs a step takes minutes, and full fine-tuning takes about four times the "
             "weights in memory.",
             "在 CPU 上一步要几分钟，全参微调约需权重四倍的内存。"),
    bad="model: models/8b\nresources: local", good="model: models/8b\nresources: gpu:1",
)  # fmt: skip
SHARDED_ON_ONE = rule(
    "resources/sharded-on-one", "warning",
    title=Text("Sharding over one device", "只有一张卡却设置了分片"),
    message=Text("`fsdp` is set, but the job has {given} GPUs",
                 "设置了 `fsdp`，但任务只有 {given} 张 GPU"),
    hint=Text("ask for more GPUs, or remove `fsdp`", "请申请更多 GPU，或去掉 `fsdp`"),
    why=Text("Sharding divides a model among devices; with one there is nothing to divide.",
             "分片是把模型分摊到多张卡上，只有一张卡就没有可分的。"),
    bad="fsdp: full_shard with resources: gpu:1", good="fsdp: full_shard with resources: gpu:4",
)  # fmt: skip


def check_resources(context: PrepareContext) -> list[Finding]:
    """Compare what is asked for with what the method needs."""
    recipe, given = context.recipe, context.resources
    at = context.at("resources")
    findings = []
    if given.gpus < recipe.minimum.gpus:
        needed = recipe.minimum.gpus
        findings.append(
            GPUS_NEEDED.at(
                at, needed=needed, given=given.gpus, method=recipe.name, profile=given.profile
            )
        )
    if given.cpus < recipe.minimum.cpus:
        needed = recipe.minimum.cpus
        findings.append(
            CPUS_FEW.at(
                at, needed=needed, given=given.cpus, method=recipe.name, profile=given.profile
            )
        )
    if context.config.get("fsdp") and given.gpus <= 1:
        findings.append(SHARDED_ON_ONE.at(context.config.at("fsdp"), given=given.gpus))
    return findings + _large_model(context)


def _large_model(context: PrepareContext) -> list[Finding]:
    folder = context.model_path
    if folder is None or context.resources.gpus:
        return []
    size = weight_bytes(folder)
    if size < LARGE_ON_CPU:
        return []
    shown = f"{size / 1e9:.1f}"
    model = context.experiment.model
    return [LARGE_MODEL_ON_CPU.at(context.at("model"), model=model, size=shown)]
