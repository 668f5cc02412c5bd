"""Extract what a checkout of NeMo-RL accepts, as a contract in JSON on standard output.

``python contract.py CHECKOUT > contracts/nemo-rl-<version>.json`` (or ``STARFORGE_NEMO_RL_SRC``
names the checkout). It stands alone: any interpreter with omegaconf, hydra-core and pydantic
will do. Everything else that NeMo-RL imports (torch, ray, ...) is replaced by empty stand-ins,
so the result depends on the checkout only and needs no GPU.

Upstream reads a YAML file of defaults and keeps every further key unread. So the contract of
a method is the union of its default file and of the keys that its typed configuration names;
``added`` marks the keys that the file lacks.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import types
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# Configuration -> (module of its MasterConfig, default file). A new method is one row.
METHODS: dict[str, tuple[str, str]] = {
    "sft": ("nemo_rl.algorithms.sft", "sft.yaml"),
    "dpo": ("nemo_rl.algorithms.dpo", "dpo.yaml"),
    "grpo": ("nemo_rl.algorithms.grpo", "grpo_math_1B.yaml"),
    "ppo": ("nemo_rl.algorithms.ppo", "ppo_math_1B.yaml"),
    "rm": ("nemo_rl.algorithms.rm", "rm.yaml"),
    "distillation": ("nemo_rl.algorithms.distillation", "distillation_math.yaml"),
}
FOLDER = "examples/configs"
# Sections that a method's type allows and its code never reads: one key each, for `ignored`.
UNREAD: dict[str, tuple[str, ...]] = {
    "sft": ("policy.generation",),
    "dpo": ("policy.generation",),
    "rm": ("policy.generation",),
}
# Sections that are set as one value: which rows, where from, and how they are read. Upstream
# merges them key by key with the ones of its default file.
WHOLE = ("data.train", "data.validation", "data.default")
WHOLE_TYPE = "dict[str, Any] | list[Any] | None"
# Mappings that are typed `dict[str, Any]`, although one class reads them.
READERS = {"env.math": "nemo_rl.environments.math_environment:MathEnvConfig"}
# `policy.generation` is typed by its common part alone; each backend reads keys of its own.
BACKENDS = (
    "nemo_rl.models.generation.vllm.config:VllmConfig",
    "nemo_rl.models.generation.megatron.config:MCoreGenerationConfig",
    "nemo_rl.models.generation.sglang.config:SGLangConfig",
)
_DEPTH = 12


def spell(annotation: Any) -> str:  # noqa: PLR0911 - one return a form
    """Write a type annotation as text; names of upstream's own classes mean anything."""
    if annotation is Any:
        return "Any"
    if annotation is type(None):
        return "None"
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated or _is_marker(origin):
        return spell(args[0])
    if origin in (typing.Union, types.UnionType):
        # A section among the alternatives is set by the keys below it.
        return join(spell(arg) for arg in args if not sections(arg))
    if origin is typing.Literal:
        if set(args) <= {True, False}:
            return "bool"
        return f"Literal[{', '.join(map(repr, args))}]"
    if origin in (list, dict, tuple, set):
        return f"{origin.__name__}[{', '.join(_item(arg) for arg in args)}]"
    if isinstance(annotation, type) and annotation.__module__ == "builtins":
        return annotation.__name__
    return "Any"


def _item(annotation: Any) -> str:
    if annotation is Ellipsis:
        return "..."
    return spell(annotation) or "Any"


def _is_marker(origin: Any) -> bool:
    return getattr(origin, "_name", None) in ("NotRequired", "Required", "ReadOnly")


def join(kinds: Iterator[str] | list[str]) -> str:
    """Write a union: each member once, ``None`` last."""
    unique = list(dict.fromkeys(part for kind in kinds for part in kind.split(" | ")))
    if "Any" in unique and "str" in unique:
        unique.remove("Any")  # a path object: text, in a file
    if "Any" in unique:
        return "Any"
    unique.sort(key=lambda kind: kind == "None")
    return " | ".join(unique)


def sections(annotation: Any) -> list[Any]:
    """Return the typed mappings that an annotation names: TypedDicts and pydantic models."""
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated or _is_marker(origin):
        return sections(args[0])
    if origin in (typing.Union, types.UnionType):
        return [one for arg in args for one in sections(arg)]
    if not isinstance(annotation, type):
        return []
    if hasattr(annotation, "model_fields") or hasattr(annotation, "__total__"):
        return [annotation]
    return []


def fields(section: Any) -> dict[str, Any]:
    """Return a section's keys with their annotations."""
    if hasattr(section, "model_fields"):
        return {name: field.annotation for name, field in section.model_fields.items()}
    return dict(typing.get_type_hints(section, include_extras=True))


def required(section: Any) -> set[str]:
    """Return the keys that a section can't be without."""
    if hasattr(section, "model_fields"):
        return {name for name, field in section.model_fields.items() if field.is_required()}
    return set(section.__required_keys__)


def needed_keys(section: Any, prefix: str = "") -> set[str]:
    """Return every dotted key that a configuration is refused without, whatever else it holds."""
    found: set[str] = set()
    hints = fields(section)
    for name in required(section):
        path = f"{prefix}.{name}" if prefix else name
        found.add(path)
        inner = sections(hints[name])
        # Of alternatives any one will do: nothing below them is needed in every case.
        if len(inner) == 1 and _only_section(hints[name], optional=False):
            found |= needed_keys(inner[0], path)
    return found


def typed_keys(annotation: Any, prefix: str, backends: list[Any]) -> dict[str, list[Any]]:
    """Return every dotted key that a type names, with the annotations it has there."""
    found: dict[str, list[Any]] = {}
    queue = [(prefix, one, 0) for one in sections(annotation)]
    while queue:
        path, section, depth = queue.pop(0)
        more = backends if path.rpartition(".")[2] == "generation" else []
        for owner in [section, *more]:
            for name, kind in fields(owner).items():
                key = f"{path}.{name}" if path else name
                found.setdefault(key, []).append(kind)
                if depth < _DEPTH:
                    queue += [(key, one, depth + 1) for one in sections(kind)]
    return found


def yaml_keys(node: Any, prefix: str = "") -> dict[str, Any]:
    """Return the leaves of a default file by dotted key; lists and empty mappings are leaves."""
    if not isinstance(node, dict) or not node:
        return {prefix: node}
    leaves: dict[str, Any] = {}
    for name, value in node.items():
        leaves |= yaml_keys(value, f"{prefix}.{name}" if prefix else str(name))
    return leaves


def kind_of(value: Any, effective: Any) -> str:
    """Write the type that a default in YAML shows, for keys no type names."""
    meant = effective if isinstance(value, str) and "${" in value else value
    if isinstance(meant, dict):
        return "dict[str, Any]"
    if meant is None:
        return "Any"
    if isinstance(meant, float):
        return "float"
    return type(meant).__name__


def keys_of(method: str, checkout: Path) -> dict[str, dict[str, Any]]:
    """Return the contract entries of one method."""
    to_container = importlib.import_module("omegaconf").OmegaConf.to_container
    module, file = METHODS[method]
    config = importlib.import_module("nemo_rl.utils.config")
    config.register_omegaconf_resolvers()
    loaded = config.load_config(checkout / FOLDER / file)
    written = yaml_keys(to_container(loaded, resolve=False))
    meant = yaml_keys(to_container(loaded, resolve=True))
    backends = [_named(name) for name in BACKENDS]
    master = importlib.import_module(module).MasterConfig
    typed, needed = typed_keys(master, "", backends), needed_keys(master)
    for section, reader in READERS.items():
        if any(path.startswith(section + ".") for path in written):
            typed |= typed_keys(_named(reader), section, [])
    keys: dict[str, dict[str, Any]] = {}
    for path in sorted({*written, *typed}):
        entry = _entry(path, typed, written, meant)
        if entry is not None and path in written and path in needed:
            entry["required"] = True
        if entry is not None:
            keys[path] = entry
    for section in UNREAD.get(method, ()):
        keys = {path: e for path, e in keys.items() if not path.startswith(section + ".")}
        keys[section] = {"type": "Any", "added": True}
    for section in WHOLE:
        keys = {path: e for path, e in keys.items() if not path.startswith(section + ".")}
        keys[section] = _whole(to_container(loaded, resolve=False), section)
    return dict(sorted(keys.items()))


def _whole(tree: Any, section: str) -> dict[str, Any]:
    for name in section.split("."):
        if not isinstance(tree, dict) or name not in tree:
            return {"type": WHOLE_TYPE, "added": True}
        tree = tree[name]
    return {"type": WHOLE_TYPE} | ({} if tree is None else {"default": tree})


def _named(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _entry(
    path: str, typed: dict[str, list[Any]], written: dict[str, Any], meant: dict[str, Any]
) -> dict[str, Any] | None:
    below = path + "."
    if path not in written and any(key.startswith(below) for key in written):
        # A section of the default file: its keys stand for it, unless it takes any further ones.
        kinds = [spell(kind) for kind in typed.get(path, []) if not sections(kind)]
        takes_more = any(kind.startswith("dict[") for kind in kinds) and path != "env"
        return {"type": join(kinds), "added": True} if takes_more else None
    if path not in written and path in typed and all(_only_section(k) for k in typed[path]):
        return None  # named by its keys
    entry: dict[str, Any] = {}
    kinds = [kind for kind in typed.get(path, []) if not _only_section(kind, optional=False)]
    if kinds:
        entry["type"] = join([spell(kind) for kind in kinds])
    else:
        entry["type"] = kind_of(written[path], meant.get(path))
    if path not in written:
        entry["added"] = True
    elif written[path] is not None:
        entry["default"] = written[path]
    return entry


def _only_section(annotation: Any, *, optional: bool = True) -> bool:
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated or _is_marker(origin):
        return _only_section(args[0], optional=optional)
    if origin in (typing.Union, types.UnionType):
        return all(
            (optional and arg is type(None)) or _only_section(arg, optional=optional)
            for arg in args
        )
    return bool(sections(annotation))


def version_of(checkout: Path) -> str:
    """Read the version that a checkout gives itself."""
    text = (checkout / "nemo_rl" / "package_info.py").read_text("utf-8")
    numbers = [re.search(rf"^{name} = (\d+)", text, re.M) for name in ("MAJOR", "MINOR", "PATCH")]
    return ".".join(found[1] for found in numbers if found)


def pinned(checkout: Path) -> dict[str, str]:
    """Read the packages that a checkout pins exactly, among those that matter."""
    text = (checkout / "pyproject.toml").read_text("utf-8")
    wanted = ("torch", "vllm")
    found = {name: re.search(rf'"{name}(?:\[[^]]*\])?==([\w.]+)"', text) for name in wanted}
    return {name: match[1] for name, match in found.items() if match}


def extract(checkout: Path) -> dict[str, Any]:
    """Return the contract of a checkout in the shape of ``catalog.models.Contract``."""
    importlib.import_module("stand_ins").prepare(checkout)
    configs = {
        method: {"base": f"{FOLDER}/{METHODS[method][1]}", "keys": keys_of(method, checkout)}
        for method in METHODS
    }
    version = version_of(checkout)
    packages = {"nemo-rl": version, **pinned(checkout)}
    return {
        "framework": "nemo-rl", "version": version, "configs": configs, "packages": packages,
    }  # fmt: skip


def encode(contract: dict[str, Any]) -> str:
    """Write a contract with one key a line: small, and readable as a difference."""
    lines = ["{", ' "configs": {']
    configs = sorted(contract["configs"].items())
    for number, (name, config) in enumerate(configs):
        lines.append(f'  {json.dumps(name)}: {{"dialect": "omegaconf", "base": "{config["base"]}",')
        lines.append('   "keys": {')
        rows = [
            f"   {json.dumps(path)}: {json.dumps(entry, sort_keys=True, ensure_ascii=False)}"
            for path, entry in sorted(config["keys"].items())
        ]
        lines += [row + "," for row in rows[:-1]] + rows[-1:]
        lines.append("  }}" + ("," if number < len(configs) - 1 else ""))
    rest = {key: value for key, value in contract.items() if key != "configs"}
    lines.append(" },")
    lines += [json.dumps(rest, sort_keys=True, indent=1)[2:-2] + "\n}"]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Print the contract."""
    place = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("STARFORGE_NEMO_RL_SRC", "")
    if not (Path(place) / "nemo_rl").is_dir():
        sys.exit("give the path of a NeMo-RL checkout (or set STARFORGE_NEMO_RL_SRC)")
    sys.stdout.write(encode(extract(Path(place).absolute())))


if __name__ == "__main__":
    main()
