"""Extract what the installed TRL accepts, as a contract in JSON on standard output.

Run it inside the runtime: ``python contract.py > contracts/trl-<version>.json``. It stands
alone (no import of starforge), so any interpreter that has TRL will do. The output depends
on the package versions only, never on the machine.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import importlib.metadata
import inspect
import json
import sys
import types
import typing
from collections.abc import Iterable
from typing import Any

# Method -> the classes of `trl` whose fields make up its configuration. A new method is one row.
METHODS: dict[str, tuple[str, ...]] = {
    "sft": ("SFTConfig", "ModelConfig"),
    "dpo": ("DPOConfig", "ModelConfig"),
    "grpo": ("GRPOConfig", "ModelConfig"),
    "rm": ("RewardConfig", "ModelConfig"),
    "kto": ("KTOConfig", "ModelConfig"),
    "rloo": ("RLOOConfig", "ModelConfig"),
    "opsd": ("DistillationConfig", "ModelConfig"),
}
PACKAGES = ("trl", "transformers", "accelerate", "datasets", "peft", "torch")


def spell(annotation: Any) -> str:  # noqa: PLR0911 - one return a form
    """Write a type annotation as text; enumerations are the strings of their values."""
    if annotation is Any:
        return "Any"
    if annotation is type(None):
        return "None"
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(spell(arg) for arg in args))
    if origin is typing.Literal:
        return f"Literal[{', '.join(repr(arg) for arg in args)}]"
    if origin is not None:
        return f"{origin.__name__}[{', '.join(spell(arg) for arg in args)}]"
    if isinstance(annotation, type):
        return "str" if issubclass(annotation, enum.Enum) else annotation.__name__
    return str(annotation)


def enumerated(annotation: Any) -> list[Any] | None:
    """Return the values of the enumeration that a field's type names directly, if any."""
    alternatives: tuple[Any, ...] = (annotation,)
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        alternatives = typing.get_args(annotation)
    for alternative in alternatives:
        if isinstance(alternative, type) and issubclass(alternative, enum.Enum):
            return [member.value for member in alternative]
    return None


def plain(value: Any) -> Any:
    """Turn a default into a JSON value."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (list, tuple, set)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"no JSON form for a default of type {type(value).__name__}: {value!r}")


def declaring_class(cls: type, name: str) -> str:
    """Name the most basic class of ``cls``'s ancestors that declares the field ``name``."""
    owners = [base for base in cls.__mro__ if name in inspect.get_annotations(base)]
    return owners[-1].__name__ if owners else cls.__name__


def describe(cls: type, field: dataclasses.Field[Any], annotation: Any) -> dict[str, Any]:
    """Return the contract entry of one field; defaults of the entry are left out."""
    entry: dict[str, Any] = {"type": spell(annotation), "section": declaring_class(cls, field.name)}
    if field.default is not dataclasses.MISSING:
        default = plain(field.default)
    elif field.default_factory is not dataclasses.MISSING:
        default = plain(field.default_factory())
    else:
        entry["required"] = True
        default = None
    if default is not None:
        entry["default"] = default
    choices = field.metadata.get("choices") or enumerated(annotation)
    if choices:
        entry["choices"] = sorted(plain(list(choices)))
    return entry


def keys_of(classes: Iterable[type]) -> dict[str, Any]:
    """Return the contract entries of all fields of ``classes``; names must not collide."""
    keys: dict[str, Any] = {}
    for cls in classes:
        hints = typing.get_type_hints(cls)
        for field in dataclasses.fields(cls):
            if not field.init:
                continue
            if field.name in keys:
                raise ValueError(f"two classes declare {field.name}")
            keys[field.name] = describe(cls, field, hints[field.name])
    return keys


def extract() -> dict[str, Any]:
    """Return the contract of the installed TRL in the shape of ``catalog.models.Contract``."""
    trl = importlib.import_module("trl")
    # A local version such as 2.13.0+cpu says how a package was built, not what it accepts.
    packages = {name: importlib.metadata.version(name).partition("+")[0] for name in PACKAGES}
    configs = {
        method: {"keys": keys_of(getattr(trl, name) for name in names)}
        for method, names in METHODS.items()
    }
    return {
        "framework": "trl",
        "version": packages["trl"],
        "configs": configs,
        "packages": packages,
    }


def main() -> None:
    """Print the contract."""
    json.dump(extract(), sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
