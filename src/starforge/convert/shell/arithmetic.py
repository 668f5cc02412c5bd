"""Whole-number arithmetic of the shell: ``$((N * 2))`` and the index of an array."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from starforge.convert.shell.scope import Scope, unknown

_ARITHMETIC: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip
_POWER_LIMIT = 64


def arithmetic(text: str, scope: Scope) -> str:
    """Evaluate whole-number arithmetic; unknown when it holds anything else."""
    flat = re.sub(r"\$\{?([A-Za-z_]\w*)\}?", r"\1", text).replace("/", "//").strip()
    try:
        return str(_number(ast.parse(flat.replace("\n", " "), mode="eval").body, scope))
    except (SyntaxError, ValueError, ZeroDivisionError, TypeError, RecursionError):
        return unknown(f"$(({text}))")


def _number(node: Any, scope: Scope) -> int:
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.Name(id=name):
            return int(scope.get(name) or "0")
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_number(inner, scope)
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            power = _number(right, scope)
            if not 0 <= power <= _POWER_LIMIT:
                raise ValueError(power)
            return int(_number(left, scope) ** power)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _ARITHMETIC:
            return _ARITHMETIC[type(sign)](_number(left, scope), _number(right, scope))
    raise ValueError(node)
