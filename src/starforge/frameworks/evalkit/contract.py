"""Extract what the installed harnesses accept, as a contract in JSON on standard output.

Run it inside the runtime: ``python contract.py > contracts/evalkit-1.1.0.json``. It stands
alone (no import of starforge). The configuration of a benchmark is made up of

- ``harness``, a key of StarForge's: which of the two asks and scores
- lm-eval's ``simple_evaluate``: ``limit``, ``num_fewshot``, ...; ``gen_kwargs.*``, what
  lm-eval itself reads of the generation arguments; ``model_args.*``, the arguments of its
  Hugging Face model
- evalscope's ``TaskConfig`` under ``evalscope.``; its ``GenerateConfig`` under
  ``evalscope.generation_config.``; and under ``evalscope.model_args.`` what its local model
  takes
"""

from __future__ import annotations

import ast
import importlib
import importlib.metadata
import inspect
import json
import logging
import re
import sys
import types
import typing
from collections.abc import Callable
from typing import Any

FRAMEWORK = "evalkit"
VERSION = "1.1.0"  # of this recipe family; the harnesses' own versions are in `packages`
PACKAGES = ("lm_eval", "evalscope", "transformers", "datasets", "torch")
HARNESSES = ("lm-eval", "evalscope")

# Objects that only Python code can pass, and model_args, which is spelled out key by key.
NOT_CONFIGURATION = {
    "simple_evaluate": {"model", "model_args", "evaluation_tracker", "task_manager"},
    "HFLM": {"self", "pretrained", "kwargs", "device", "batch_size", "max_batch_size"},
    # The model is what the job is given; these two are spelled out key by key.
    "TaskConfig": {"model", "model_args", "generation_config"},
    "GenerateConfig": set(),
}
_NAMED_CONSTANTS = re.compile(r"\b(typing|transformers|torch|lm_eval|evalscope)(\.\w+)*\.")


def spell(annotation: Any) -> str:  # noqa: PLR0911 - one return a form
    """Write a type annotation as text."""
    if annotation is inspect.Parameter.empty or annotation is Any:
        return "Any"
    if annotation is None or annotation is type(None):
        return "None"
    if isinstance(annotation, str):
        return _NAMED_CONSTANTS.sub("", " ".join(annotation.split()))
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return spell(args[0])
    if origin in (typing.Union, types.UnionType):
        return " | ".join(dict.fromkeys(spell(arg) for arg in args))
    if origin is typing.Literal:
        return f"Literal[{', '.join(repr(arg) for arg in args)}]"
    if origin is not None and not args:
        return str(origin.__name__)
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


def of_pydantic(cls: Any, section: str, prefix: str) -> dict[str, Any]:
    """Return the entries of a pydantic model; what has no JSON form is left without default."""
    found = {}
    for name, field in cls.model_fields.items():
        if name in NOT_CONFIGURATION[section]:
            continue
        default = field.get_default(call_default_factory=True)
        plain = isinstance(default, (bool, int, float, str)) and not _of_this_machine(default)
        made = entry(field.annotation, default if plain else None, section)
        if isinstance(default, (list, dict)) and not default:
            made["default"] = default
        found[prefix + name] = made
    return found


def _of_this_machine(default: Any) -> bool:
    """Say whether a default is a folder below somebody's home."""
    return isinstance(default, str) and default.startswith("/")


def of_model_api(cls: type, prefix: str) -> dict[str, Any]:
    """Return what a local model of evalscope takes out of its ``model_args`` by name.

    Its constructor has no named arguments for them: it calls ``collect_model_arg("name")``.
    """
    source = inspect.getsource(sys.modules[cls.__module__])
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    names = [
        call.args[0].value
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id == "collect_model_arg"
        and isinstance(call.args[0], ast.Constant)
    ]
    return {prefix + str(name): entry(Any, None, cls.__name__) for name in names}


def of_lm_eval() -> dict[str, Any]:
    """Return lm-eval's keys."""
    evaluator = importlib.import_module("lm_eval.evaluator")
    model = importlib.import_module("lm_eval.models.huggingface")
    utils = importlib.import_module("lm_eval.models.utils")
    evaluate = inspect.unwrap(evaluator.simple_evaluate)
    # A required argument of simple_evaluate would have to be set by every experiment.
    return {
        **of_function(evaluate, "simple_evaluate"),
        **of_typed_dict(utils.GenKwargs, "GenKwargs", "gen_kwargs."),
        **of_function(model.HFLM.__init__, "HFLM", "model_args."),
    }


def of_evalscope() -> dict[str, Any]:
    """Return evalscope's keys."""
    config = importlib.import_module("evalscope.config")
    generate = importlib.import_module("evalscope.api.model")
    local = importlib.import_module("evalscope.models.modelscope")
    return {
        **of_pydantic(config.TaskConfig, "TaskConfig", "evalscope."),
        **of_pydantic(generate.GenerateConfig, "GenerateConfig", "evalscope.generation_config."),
        **of_model_api(local.ModelScopeAPI, "evalscope.model_args."),
    }


def extract() -> dict[str, Any]:
    """Return the contract of the installed harnesses as a ``catalog.models.Contract``."""
    harness = entry(str, HARNESSES[0], "starforge") | {"choices": list(HARNESSES)}
    keys = {"harness": harness, **of_lm_eval(), **of_evalscope()}
    packages = {name: importlib.metadata.version(name).partition("+")[0] for name in PACKAGES}
    return {
        "framework": FRAMEWORK,
        "version": VERSION,
        "configs": {"benchmark": {"keys": keys}},
        "packages": packages,
    }


def main() -> None:
    """Print the contract."""
    logging.disable(logging.ERROR)
    json.dump(extract(), sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
