"""``record/config.yaml``: the method's configuration as upstream itself composes it.

The file names upstream's default file as its parent and holds only what differs, so reading
it shows what was chosen. Places that are known only when the job starts are environment
variables, which OmegaConf puts in (``${oc.env:NAME}``).
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from starforge import layout
from starforge.lab.context import PrepareContext
from starforge.lab.inherit import DEFAULTS, OVERRIDE
from starforge.lab.resolved import ResolvedConfig

HOME = "NEMO_RL_HOME"
PATH = f"{layout.RECORD}/config.yaml"
# Placeholder of a plan -> the variable that holds it in the job's processes.
VARIABLES = {
    "MODEL": "STARFORGE_MODEL",
    "TEACHER": "STARFORGE_TEACHER",
    "CODE": "STARFORGE_CODE",
    "ATTEMPT": layout.ENV_ATTEMPT_DIR,
    "OUTPUT": layout.ENV_OUTPUT_DIR,
}
_PLACEHOLDER = re.compile(r"\$\{(" + "|".join(VARIABLES) + r")\}")


def config_yaml(context: PrepareContext) -> str:
    """Return the text of ``record/config.yaml`` for a settled context."""
    base = context.contract_config.base
    tree: dict[str, Any] = {DEFAULTS: f"${{oc.env:{HOME}}}/{base}"}
    tree |= _placed(differing(context))
    return yaml.safe_dump(tree, sort_keys=False, allow_unicode=True, width=100)


def differing(context: PrepareContext) -> dict[str, Any]:
    """Return what differs from upstream's file, nested; replaced sections carry the marker."""
    config = context.config
    tree = config.nested(only_differs=True)
    whole = config.nested() if (sections := dropped(context)) else {}
    for section in sorted(sections):
        kept = whole.get(section)
        tree[section] = {OVERRIDE: True, **(kept if isinstance(kept, dict) else {})}
    return tree


def dropped(context: PrepareContext) -> set[str]:
    """Return the top-level sections whose defaults ``_override_`` took away."""
    keys, values = context.contract_config.keys, context.config.values
    gone = [path for path, key in keys.items() if path not in values and not key.added]
    return {path.partition(".")[0] for path in gone}


def missing(context: PrepareContext) -> list[str]:
    """Return the keys that upstream can't do without and that were taken away."""
    keys, config = context.contract_config.keys, context.config
    return [path for path, key in keys.items() if key.required and not _is_there(config, path)]


def _is_there(config: ResolvedConfig, path: str) -> bool:
    return path in config.values or any(one.startswith(path + ".") for one in config.values)


def _placed(value: Any) -> Any:
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda found: f"${{oc.env:{VARIABLES[found[1]]}}}", value)
    if isinstance(value, dict):
        return {key: _placed(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_placed(item) for item in value]
    return value
