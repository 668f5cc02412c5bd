"""Runtimes of the server's machine, as jobs and the API use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.plan import LaunchPlan
from starforge.server.core import Core
from starforge.server.store import jobs
from starforge.server.store.records import ACTIVE
from starforge.wire import runtimes as wire

if TYPE_CHECKING:
    from starforge.runtimes import InstalledRuntime
    from starforge.server.services.tasks import Task, Tasks


def interpreter(core: Core, plan: LaunchPlan) -> str | None:
    """Return the interpreter of a plan's runtime; an error when it isn't installed."""
    if plan.runtime is None:
        return None
    from starforge import runtimes

    name, device = plan.runtime.name, plan.runtime.device
    found = runtimes.find(core.settings.home, name, device)
    if found is None:
        raise StarForgeError(
            "runtime/missing",
            Text(
                f"the runtime `{name}` ({device}) is not installed on the server's machine",
                f"服务所在的机器上没有安装运行环境 `{name}`（{device}）",
            ),
            Text(
                f"install it with `sf runtime install {name}`",
                f"用 `sf runtime install {name}` 安装",
            ),
            status=422,
        )
    return str(found.python)


def users_of(core: Core, name: str, device: str) -> list[str]:
    """Return the ids of running jobs that use a runtime."""
    with core.db.read() as tx:
        active = [job.id for job in jobs.in_states(tx, ACTIVE)]
    found = []
    for job_id in active:
        pin = core.plan(job_id).runtime
        if pin is not None and (pin.name, pin.device) == (name, device):
            found.append(job_id)
    return found


def listing(core: Core) -> list[wire.Runtime]:
    """Return every runtime of the catalog for each device, and builds of older locks."""
    from starforge import runtimes

    built = {(one.name, one.device, one.digest): one for one in _installed(core)}
    rows = []
    for spec in runtimes.specs():
        found = built.pop((spec.name, spec.device, spec.digest), None)
        rows.append(_row(core, spec.name, spec.device, spec.digest, found))
    rows += [_row(core, *key, found) for key, found in sorted(built.items())]
    return rows


def start_install(core: Core, tasks: Tasks, name: str, device: str | None) -> Task:
    """Build a runtime in the background; an unknown name is refused at once."""
    from starforge import runtimes

    chosen = device or runtimes.detect_device()
    runtimes.get_spec(name, chosen)

    def work(progress: Callable[[str, int | None, int | None], None]) -> None:
        runtimes.install(name, chosen, home=core.settings.home, progress=progress)

    return tasks.start("runtime", f"{name}/{chosen}", work)


def remove(core: Core, name: str, device: str) -> None:
    """Remove a runtime; refused while a job runs in it."""
    from starforge import runtimes

    def in_use(one: str, where: str) -> list[str]:
        return users_of(core, one, where)

    runtimes.remove(core.settings.home, name, device, in_use=in_use)


def doctor(core: Core, name: str, device: str) -> wire.RuntimeReport:
    """Compare a runtime with its lock."""
    from starforge import runtimes

    report = runtimes.doctor(core.settings.home, name, device)
    return wire.RuntimeReport(
        name=name, device=device, ok=report.ok, detail=msgspec.to_builtins(report)
    )


def _installed(core: Core) -> list[InstalledRuntime]:
    from starforge import runtimes

    return runtimes.installed(core.settings.home)


def _row(
    core: Core, name: str, device: str, digest: str, found: InstalledRuntime | None
) -> wire.Runtime:
    return wire.Runtime(
        name=name,
        device=device,
        digest=digest,
        installed=found is not None,
        path=str(found.path) if found else None,
        python=str(found.python) if found else None,
        size=found.size if found else None,
        used_by=users_of(core, name, device) if found else [],
    )
