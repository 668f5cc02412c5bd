"""Types of contract keys: annotations as text, and whether a YAML value fits one.

A contract keeps the annotation of the pinned package as it is written there. Names that
are not plain types (enum classes, dataclasses, callables) accept anything, because what
they take can't be known without the package; beside ``str`` in a union they are dropped,
since in a file such a value is a string anyway.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal

import msgspec

from starforge.catalog.models import ContractKey
from starforge.i18n import Text

Kind = Literal["any", "none", "bool", "int", "float", "str", "list", "dict", "literal", "union"]

_PLAIN: dict[str, Kind] = {
    "None": "none", "NoneType": "none", "bool": "bool", "int": "int", "float": "float",
    "str": "str", "list": "list", "List": "list", "tuple": "list", "Tuple": "list",
    "set": "list", "Sequence": "list", "dict": "dict", "Dict": "dict", "Mapping": "dict",
}  # fmt: skip
NUMBER = re.compile(r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?")
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class TypeExpr(msgspec.Struct, frozen=True):
    """A parsed annotation. ``args`` are members of a union or items of a container.

    ``length`` is the number of items of a fixed tuple, whose ``args`` go item by item.
    """

    kind: Kind
    args: tuple[TypeExpr, ...] = ()
    values: tuple[Any, ...] = ()
    length: int | None = None


ANY = TypeExpr("any")


@lru_cache(maxsize=1024)
def parse_type(text: str) -> TypeExpr:
    """Parse an annotation as text; what can't be understood accepts anything."""
    try:
        return _convert(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError):
        return ANY


def _convert(node: ast.expr) -> TypeExpr:
    match node:
        case ast.Constant(value=None):
            return TypeExpr("none")
        case ast.Constant(value=str() as quoted):
            return parse_type(quoted)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _union([_convert(left), _convert(right)])
        case ast.Subscript(value=base, slice=inner):
            return _subscript(_last_name(base), inner)
        case ast.Name() | ast.Attribute():
            kind = _PLAIN.get(_last_name(node))
            return TypeExpr(kind) if kind else ANY
    return ANY


def _last_name(node: ast.expr) -> str:
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _subscript(name: str, inner: ast.expr) -> TypeExpr:  # noqa: PLR0911 - one return a form
    items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    match name:
        case "Literal":
            return TypeExpr("literal", values=tuple(ast.literal_eval(item) for item in items))
        case "Union":
            return _union([_convert(item) for item in items])
        case "Optional":
            return _union([_convert(items[0]), TypeExpr("none")])
        case "tuple" | "Tuple" if not (isinstance(items[-1], ast.Constant)):
            return TypeExpr("list", tuple(map(_convert, items)), length=len(items))
        case "Annotated" | "Required" | "NotRequired" | "Final":
            return _convert(items[0])
    match _PLAIN.get(name):
        case "list":
            return TypeExpr("list", (_convert(items[0]),))
        case "dict":
            return TypeExpr("dict", (_convert(items[-1]),))
    return ANY


def _union(members: list[TypeExpr]) -> TypeExpr:
    flat: list[TypeExpr] = []
    for member in members:
        flat.extend(member.args if member.kind == "union" else [member])
    if any(member.kind == "str" for member in flat):
        flat = [member for member in flat if member.kind != "any"]
    elif any(member.kind == "any" for member in flat):
        return ANY
    unique = tuple(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else TypeExpr("union", unique)


def accepts(kind: TypeExpr | str, value: Any) -> tuple[bool, Any]:
    """Say whether ``value`` fits, and return it as the type means it.

    An integer fits ``float``; a whole float (``1e3``) fits ``int``; text that plainly is a
    number (``"5e-7"``) fits a number; ``yes``/``no``/``on``/``off`` fit ``bool``. A member
    of a union that fits without any of these goes first.
    """
    expr = parse_type(kind) if isinstance(kind, str) else kind
    if _fits(expr, value, exact=True)[0]:
        return True, value
    return _fits(expr, value, exact=False)


def accepts_key(key: ContractKey, value: Any) -> tuple[bool, Any]:
    """Like :func:`accepts`, and ``None`` where it is the key's own default."""
    if value is None and key.default is None and not key.required:
        return True, None
    return accepts(key.type, value)


def _fits(expr: TypeExpr, value: Any, *, exact: bool) -> tuple[bool, Any]:
    match expr.kind:
        case "any":
            result = True, value
        case "union":
            tried = (_fits(member, value, exact=exact) for member in expr.args)
            result = next((one for one in tried if one[0]), (False, value))
        case "literal":
            same = [type(value) is type(one) and value == one for one in expr.values]
            result = any(same), value
        case "list":
            result = _fits_items(expr, value, exact=exact)
        case "dict":
            result = _fits_values(expr, value, exact=exact)
        case _:
            result = _SCALARS[expr.kind](value, exact)
    return result


def _fits_items(expr: TypeExpr, value: Any, *, exact: bool) -> tuple[bool, Any]:
    if not isinstance(value, list):
        return False, value
    if expr.length is not None and len(value) != expr.length:
        return False, value
    if not expr.args:
        return True, value
    kinds = expr.args if expr.length is not None else expr.args[:1] * len(value)
    results = [_fits(kind, item, exact=exact) for kind, item in zip(kinds, value, strict=True)]
    return all(ok for ok, _ in results), [made for _, made in results]


def _fits_values(expr: TypeExpr, value: Any, *, exact: bool) -> tuple[bool, Any]:
    if not isinstance(value, dict):
        return False, value
    if not expr.args:
        return True, value
    results = {k: _fits(expr.args[0], item, exact=exact) for k, item in value.items()}
    return all(ok for ok, _ in results.values()), {k: made for k, (_, made) in results.items()}


def as_number(text: str) -> int | float | None:
    """Return the number that ``text`` plainly is, or ``None``."""
    stripped = text.strip()
    if len(stripped) > 400 or not NUMBER.fullmatch(stripped):
        return None
    plain = stripped.replace("_", "")
    return int(plain) if re.fullmatch(r"[-+]?\d+", plain) else float(plain)


def _scalar_none(value: Any, exact: bool) -> tuple[bool, Any]:
    return value is None, value


def _scalar_str(value: Any, exact: bool) -> tuple[bool, Any]:
    return isinstance(value, str), value


def _scalar_bool(value: Any, exact: bool) -> tuple[bool, Any]:
    if isinstance(value, bool):
        return True, value
    if not exact and isinstance(value, str) and value.lower() in _TRUTH:
        return True, _TRUTH[value.lower()]
    return False, value


def _scalar_int(value: Any, exact: bool) -> tuple[bool, Any]:
    if isinstance(value, int) and not isinstance(value, bool):
        return True, value
    number = as_number(value) if isinstance(value, str) and not exact else value
    if isinstance(number, int) and not isinstance(number, bool):
        return True, number
    if not exact and isinstance(number, float) and number.is_integer():
        return True, int(number)
    return False, value


def _scalar_float(value: Any, exact: bool) -> tuple[bool, Any]:
    if isinstance(value, float):
        return True, value
    number = as_number(value) if isinstance(value, str) and not exact else value
    if not exact and isinstance(number, int | float) and not isinstance(number, bool):
        return True, float(number)
    return False, value


_SCALARS: dict[str, Callable[[Any, bool], tuple[bool, Any]]] = {
    "none": _scalar_none, "bool": _scalar_bool, "int": _scalar_int, "float": _scalar_float,
    "str": _scalar_str,
}  # fmt: skip

_NAMES: dict[str, Text] = {
    "any": Text("any value", "任意值"),
    "none": Text("null", "空值（null）"),
    "bool": Text("true or false", "true 或 false"),
    "int": Text("a whole number", "整数"),
    "float": Text("a number", "数字"),
    "str": Text("text", "文本"),
}


def describe(kind: TypeExpr | str) -> Text:
    """Name a type for people: ``a number or null`` / ``数字或空值（null）``."""
    expr = parse_type(kind) if isinstance(kind, str) else kind
    match expr.kind:
        case "union":
            members = [describe(member) for member in expr.args]
            return Text(_join(members, "en", " or "), _join(members, "zh", "或"))
        case "literal":
            shown = [f"`{value}`" for value in expr.values]
            return Text("one of " + ", ".join(shown), "以下之一：" + "、".join(shown))
        case "list" | "dict":
            return _describe_container(expr)
    return _NAMES[expr.kind]


def _describe_container(expr: TypeExpr) -> Text:
    if expr.kind == "dict":
        return Text("a mapping", "映射（键: 值）")
    if expr.length is not None:
        return Text(f"a list of {expr.length} items", f"含 {expr.length} 项的列表")
    if not expr.args or expr.args[0].kind == "any":
        return Text("a list", "列表")
    inner = describe(expr.args[0])
    return Text(f"a list (each item {inner.en})", f"列表（每项为{inner.zh}）")


def _join(members: list[Text], lang: Literal["en", "zh"], glue: str) -> str:
    return glue.join(dict.fromkeys(member.pick(lang) for member in members))
