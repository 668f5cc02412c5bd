"""The resolved configuration of a job: every key, who decided, and why."""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec

from starforge.catalog.models import ContractConfig, Recipe
from starforge.errors import StarForgeError
from starforge.i18n import Lang
from starforge.lab.resolve import resolve
from starforge.lab.resolved import Origin as ValueOrigin
from starforge.lab.resolved import ResolvedConfig, flat
from starforge.plan import Difference, LaunchPlan
from starforge.server.core import Core
from starforge.server.services import jobs
from starforge.server.services.experiment_values import origin
from starforge.server.services.job_differences import differences
from starforge.server.store.records import Job
from starforge.wire.config import ConfigAgainst, ConfigKey, JobConfig

UPSTREAM = "upstream"


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """What the catalog says about the keys of a plan; ``resolved`` knows where they are written."""

    recipe: Recipe
    config: ContractConfig
    resolved: ResolvedConfig | None


def config(core: Core, job: Job, lang: Lang, against: Job | None = None) -> JobConfig:
    """Return every native key of a job, and its differences from another."""
    known = _known(core, job)
    differs = {one.path: one for one in job.plan.differs}
    compared = None
    if against is not None:
        compared = ConfigAgainst(
            job=against.id, name=against.name, method=against.plan.method,
            differences=differences(
                job.plan, against.plan, _leaves(known, job.plan),
                native=_same_keys(core, job.plan, against.plan),
            ),
        )  # fmt: skip
    return JobConfig(
        job=job.id,
        method=job.plan.method,
        pin=f"{job.plan.framework}@{job.plan.version}",
        exact=known is not None,
        keys=[
            _key(path, value, differs.get(path), known, lang)
            for path, value in flat(job.plan.config, _leaves(known, job.plan))
        ],
        parent=_parent(core, job),
        against=compared,
    )


def _parent(core: Core, job: Job) -> str | None:
    """Return the id of the job that this one was made from, follows, or took its model from."""
    models = (ref.location.partition("@")[0] for ref in job.plan.inputs if ref.kind == "job")
    made_from = (job.experiment.get(key) for key in ("cloned_from", "rerun_of"))
    for named in (*made_from, job.parent, *models):
        if not isinstance(named, str):
            continue
        with contextlib.suppress(StarForgeError):  # it may have been deleted since
            return jobs.find(core, named).id
    return None


def _same_keys(core: Core, one: LaunchPlan, other: LaunchPlan) -> bool:
    """Say whether two plans are of one configuration of one version of a framework."""
    if (one.framework, one.version) != (other.framework, other.version):
        return False
    known = core.catalog.names()
    if one.method == other.method or not {one.method, other.method} <= set(known):
        return one.method == other.method
    return core.catalog.recipe(one.method).config == core.catalog.recipe(other.method).config


def _known(core: Core, job: Job) -> Known | None:
    """Return what the recipe says, when it is the one the job was made with."""
    plan = job.plan
    if plan.method not in core.catalog.names():
        return None
    recipe = core.catalog.recipe(plan.method)
    digests = (recipe.digest, core.catalog.contract_digest(recipe))
    if digests != (plan.recipe_digest, plan.contract_digest):
        return None
    contract = core.catalog.contract(recipe)
    resolved = None
    try:
        with origin(core, job) as one:
            resolved, _ = resolve(one.experiment, recipe, contract, one.sets)
    except StarForgeError:
        pass  # an imported job, or its upload is gone: places are not known
    return Known(recipe=recipe, config=contract.configs[recipe.config], resolved=resolved)


def _leaves(known: Known | None, plan: LaunchPlan) -> set[str]:
    """Return the keys whose mappings are one value."""
    found = {one.path for one in plan.differs}
    return found | set(known.config.keys) if known is not None else found


def _key(
    path: str, value: Any, difference: Difference | None, known: Known | None, lang: Lang
) -> ConfigKey:
    default = difference.default if difference is not None else value
    name = difference.parameter if difference is not None else None
    shown = ConfigKey(
        path=path, name=name, value=value, default=default, differs=difference is not None,
        source=difference.source if difference is not None else UPSTREAM,
    )  # fmt: skip
    if known is not None:
        _explain(shown, known, lang)
    elif difference is None:
        shown.default = None
    return shown


def _explain(key: ConfigKey, known: Known, lang: Lang) -> None:
    """Add what the recipe and the experiment's files say of a key."""
    parameter = next((one for one in known.recipe.parameters if one.path == key.path), None)
    if parameter is not None:
        key.name, key.unit = parameter.name, parameter.unit
    written = _origin(key.path, known.resolved)
    if written is not None and (not key.differs or written.layer == key.source):
        key.source = written.layer
        key.file, key.line = written.at.file, written.at.line
    pin = next((one for one in known.recipe.pins if one.path == key.path), None)
    if pin is not None and key.source == "pin":
        key.reason = pin.reason.pick(lang)
    elif key.source == "recipe" and parameter is not None and parameter.why_default:
        key.reason = parameter.why_default.pick(lang)


def _origin(path: str, resolved: ResolvedConfig | None) -> ValueOrigin | None:
    """Return who set a key, or something inside its mapping."""
    if resolved is None:
        return None
    inside = (one for key, one in resolved.origins.items() if key.startswith(f"{path}."))
    return resolved.origins.get(path) or next(inside, None)
