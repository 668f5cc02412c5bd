"""Settings as words of OpenRLHF's command line, so that its argparse reads them back."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from starforge.catalog.models import ContractConfig
from starforge.plan import Difference

MODULES = {
    "sft": "openrlhf.cli.train_sft",
    "dpo": "openrlhf.cli.train_dpo",
    "rm": "openrlhf.cli.train_rm",
    "ppo": "openrlhf.cli.train_ppo_ray",
}


def words(differs: Iterable[Difference], config: ContractConfig) -> list[str]:
    """Return the flags for everything that is not upstream's default, sorted by name.

    A switch is there or not; what upstream has on by default can't be switched off, and a
    value of nothing can't be given: both are refused by the checks before.
    """
    found: list[str] = []
    for one in differs:
        key = config.keys[one.path]
        if key.type == "bool":
            found += [f"--{one.path}"] if one.value else []
        elif one.value is not None:
            found += flag(one.path, one.value)
    return found


def flag(path: str, value: Any) -> list[str]:
    """Return ``--path value``, or ``--path=value`` where the value would look like a flag."""
    if isinstance(value, list):
        return [f"--{path}", *map(spell, value)]
    word = spell(value)
    return [f"--{path}={word}"] if word.startswith("-") else [f"--{path}", word]


def spell(value: Any) -> str:
    """Write one value. Argparse takes ``-1e-05`` for a flag, so negative numbers have no ``e``."""
    if isinstance(value, float) and value < 0:
        return format(Decimal(repr(value)), "f")
    return repr(value) if isinstance(value, float) else str(value)
