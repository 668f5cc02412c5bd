"""Extract what the installed lm-eval accepts, as a contract in JSON on standard output.

Run it inside the runtime: ``python contract.py > contracts/evalkit-1.0.0.json``. It stands
alone (no import of starforge). Three sources make up the configuration of a benchmark:

- ``simple_evaluate`` itself: ``limit``, ``num_fewshot``, ...
- ``gen_kwargs.*``: what lm-eval itself reads of the generation arguments
- ``model_args.*``: the arguments of its Hugging Face model
"""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
import json
import re
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

FRAMEWORK = "evalkit"
VERSION = "1.0.0"  # of this recipe family; the harness's own version is in `packages`
PACKAGES = ("lm_eval", "transformers", "datasets", "torch")

# Objects that only Python code can pass, and model_args, which is spelled out key by key.
NOT_CONFIGURATION = {
    "simple_evaluate": {"model", "model_args", "evaluation_tracker", "task_manager"},
    "HFLM": {"self", "pretrained", "kwargs", "device", "batch_size", "max_batch_size"},
}
_NAMED_CONSTANTS = re.compile(r"\b(typing|transformers|torch|lm_eval)(\.\w+)*\.")


def spell(annotation: Any) -> str:  # noqa: PLR0911 - one return a form
    """Write a type annotation as text."""
    if annotation is inspect.Parameter.empty or annotation is Any:
        return "Any"
    if annotation is None or annotation is type(None):
        return "None"
    if isinstance(annotation, str):
        return _NAMED_CONSTANTS.sub("", " ".join(annotation.split()))
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(spell(arg) for arg in args))
    if origin is typing.Literal:
        return f"Literal[{', '.join(repr(arg) for arg in args)}]"
    if origin is not None:
        return f"{origin.__name__}[{', '.join(spell(arg) for arg in args)}]"
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)


def entry(annotation: Any, default: Any, section: str) -> dict[str, Any]:
    """Return one contract entry; a default of None is left out."""
    found: dict[str, Any] = {"type": spell(annotation), "section": section}
    if default is inspect.Parameter.empty:
        found["required"] = True
    elif default is not None:
        if not isinstance(default, (bool, int, float, str)):
            raise TypeError(f"no JSON form for {default!r}")
        found["default"] = default
    return found


def of_function(function: Callable[..., Any], section: str, prefix: str = "") -> dict[str, Any]:
    """Return the entries of a function's named arguments."""
    skip = NOT_CONFIGURATION[section]
    return {
        prefix + name: entry(one.annotation, one.default, section)
        for name, one in inspect.signature(function).parameters.items()
        if name not in skip
    }


def of_typed_dict(cls: type, section: str, prefix: str) -> dict[str, Any]:
    """Return the entries of a ``TypedDict``; its keys are all optional."""
    hints = typing.get_type_hints(cls)
    return {
        prefix + name: entry(hint, None, section)
        for name, hint in hints.items()
        if not name.startswith("_")
    }


def extract() -> dict[str, Any]:
    """Return the contract of the installed lm-eval in the shape of ``catalog.models.Contract``."""
    evaluator = importlib.import_module("lm_eval.evaluator")
    model = importlib.import_module("lm_eval.models.huggingface")
    utils = importlib.import_module("lm_eval.models.utils")
    evaluate = inspect.unwrap(evaluator.simple_evaluate)
    keys = {
        **of_function(evaluate, "simple_evaluate"),
        **of_typed_dict(utils.GenKwargs, "GenKwargs", "gen_kwargs."),
        **of_function(model.HFLM.__init__, "HFLM", "model_args."),
    }
    # A required argument of simple_evaluate would have to be set by every experiment.
    packages = {name: importlib.metadata.version(name).partition("+")[0] for name in PACKAGES}
    return {
        "framework": FRAMEWORK,
        "version": VERSION,
        "configs": {"benchmark": {"keys": keys}},
        "packages": packages,
    }


def main() -> None:
    """Print the contract."""
    json.dump(extract(), sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
