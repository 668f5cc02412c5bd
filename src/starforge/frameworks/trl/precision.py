"""Whether TRL's optimizer changes 16-bit weights in place."""

from __future__ import annotations

from starforge.checks.rounding import InPlace, dtype_in_config
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

_FIX = Text(
    "set `{name}: float32` (on a GPU it still computes in bfloat16, as `bf16` says), or train "
    "with `lora: true`, whose adapters are float32",
    "请设 `{name}: float32`（在 GPU 上仍按 `bf16` 用 bfloat16 计算），或用 `lora: true`，"
    "适配器本身是 float32",
)


def in_place(context: PrepareContext) -> InPlace | None:
    """Return the weights that are changed in place; ``None`` where float32 copies are kept.

    Those are kept by FSDP with mixed precision (accelerate makes the trained weights float32).
    LoRA's adapters are float32 (peft makes them so).
    """
    config = context.config
    if config.get("use_peft"):
        return None
    if config.get("fsdp") and config.get("bf16") is not False:
        return None
    key, dtype = "dtype", config.get("dtype")
    more = config.get("model_init_kwargs")
    if isinstance(more, dict) and (own := more.get("dtype") or more.get("torch_dtype")):
        key, dtype = "model_init_kwargs", own
    if dtype in (None, "auto"):
        dtype = dtype_in_config(context.model_path)
    if dtype is None:
        return None
    return InPlace(
        dtype=str(dtype), key=key, optimizer=str(config.get("optim")),
        rate=config.get("learning_rate"),
        fix=_FIX.format(name="model_dtype" if key == "dtype" else "dtype"),
    )  # fmt: skip
