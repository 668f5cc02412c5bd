"""Whether a value is one that a parameter takes, in the words of its framework."""

from __future__ import annotations

from typing import Any

from starforge.catalog.join import out_of_range
from starforge.catalog.models import ContractConfig, ContractKey, Parameter
from starforge.catalog.types import accepts_key

# Words of the frameworks for the same thing; each group is one thing.
_WORDS: tuple[frozenset[str], ...] = (
    frozenset({"bf16", "bfloat16"}),
    frozenset({"fp16", "float16"}),
    frozenset({"fp32", "float32"}),
    frozenset({"k1", "kl"}),
    frozenset({"k2", "mse"}),
    frozenset({"k3", "low_var_kl"}),
    frozenset({"vanilla", "ppo"}),
    frozenset({"adamw", "adam", "AdamW", "torch.optim.AdamW", "adamw_torch"}),
)


def fit(parameter: Parameter, contract: ContractConfig, value: Any) -> tuple[bool, Any]:
    """Return whether ``parameter`` takes ``value``, and the value as it takes it."""
    key = contract.keys.get(parameter.path) or ContractKey(type=parameter.type)
    for word in _spellings(value):
        meant = _meant(parameter, word)
        ok, made = accepts_key(key, meant)
        if ok and _allowed(parameter, key, made):
            return True, made
    return False, value


def _spellings(value: Any) -> list[Any]:
    if not isinstance(value, str):
        return [value]
    same = next((group for group in _WORDS if value in group), frozenset())
    return [value, *sorted(same - {value})]


def _meant(parameter: Parameter, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    words = {word.casefold(): meant for word, meant in parameter.aliases.items()}
    return words.get(value.casefold(), value)


def _allowed(parameter: Parameter, key: ContractKey, value: Any) -> bool:
    choices = parameter.choices or key.choices
    items = value if isinstance(value, list) else [value]
    if choices and value is not None and any(item not in choices for item in items):
        return False
    return out_of_range(parameter, value) is None
