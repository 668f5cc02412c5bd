"""A legal value of a published parameter that is not its default."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from starforge.catalog.join import out_of_range
from starforge.catalog.models import ContractKey, Parameter
from starforge.catalog.types import TypeExpr, accepts, parse_type

_FACTORS = (2, 0.5, 3, 0.1)


def away(parameter: Parameter, key: ContractKey) -> Any:
    """Return a value that the contract takes and the default is not; ``None`` if there is none.

    The recipe's ``example`` comes first, then another choice, the other truth value, a
    number beside the default, a text.
    """
    for value in _candidates(parameter, parse_type(key.type)):
        ok, made = accepts(key.type, value)
        if ok and made != parameter.default and out_of_range(parameter, made) is None:
            return made
    return None


def _candidates(parameter: Parameter, expr: TypeExpr) -> Iterator[Any]:
    if parameter.example is not None:
        yield parameter.example
    if parameter.choices:
        others = [one for one in parameter.choices if one is not None]
        yield from others
        yield from ([one] for one in others)
        return
    kinds = {member.kind for member in (expr.args if expr.kind == "union" else (expr,))}
    default = parameter.default
    if "bool" in kinds or isinstance(default, bool):
        yield default is not True
    if kinds & {"int", "float"} or _is_number(default):
        yield from _numbers(parameter, whole="float" not in kinds)
    if "str" in kinds:
        yield "sf_proof"
    if "list" in kinds:
        yield from (["sf_proof"], [0.25, 0.75], [1, 2])
    if "dict" in kinds:
        yield {"sf_proof": 1}
    if "any" in kinds:
        yield from (True, 1, "sf_proof")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numbers(parameter: Parameter, *, whole: bool) -> Iterator[Any]:
    default = parameter.default
    known: float = default if _is_number(default) else 0
    if known > 0:
        for factor in _FACTORS:
            number = known * factor
            yield int(number) if whole or isinstance(default, int) else number
    for step in (2, 1, -1, 8, 0.5, 0.25):
        if not whole or isinstance(step, int):
            yield known + step
    if parameter.minimum is not None:
        low = parameter.minimum + (1 if whole else 0.5)
        yield int(low) if whole else low
