"""Runtimes of the server's machine, as jobs and the API use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.plan import LaunchPlan
from starforge.server.core import Core
from starforge.server.store import jobs
from starforge.server.store.records import ACTIVE

if TYPE_CHECKING:
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


def start_install(core: Core, tasks: Tasks, name: str, device: str | None) -> Task:
    """Build a runtime in the background."""
    from starforge import runtimes

    chosen = device or runtimes.detect_device()
    runtimes.lock_digest(name, chosen)  # an unknown name is refused at once

    def work(progress: object) -> None:
        raise NotImplementedError

    return tasks.start("runtime", f"{name}/{chosen}", work)
