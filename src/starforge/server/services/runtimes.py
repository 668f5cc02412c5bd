"""Runtimes of the server's machine, as jobs and the API use them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from starforge.catalog.deployment import Place, image_variable, place_of
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.plan import LaunchPlan
from starforge.server.core import Core
from starforge.server.store import jobs
from starforge.server.store.records import ACTIVE
from starforge.wire import runtimes as wire
from starforge.wire.base import BothTexts

if TYPE_CHECKING:
    from starforge.runtimes import InstalledRuntime
    from starforge.server.services.tasks import Task, Tasks


def interpreter(core: Core, plan: LaunchPlan) -> str | None:
    """Return the interpreter a plan runs with; an error when there is none here.

    That of the plan's locked runtime, unless the deployment names another place for the
    framework (``catalog.deployment``).
    """
    if plan.runtime is None:
        return None
    chosen = place_of(plan.framework, core.settings.catalog_folder)
    if chosen is not None and chosen.kind == "image":
        raise _image_here(plan.framework, chosen)
    if chosen is not None and chosen.kind == "python":
        if not Path(chosen.value).is_file():
            raise _no_python(plan.framework, chosen)
        return chosen.value
    name = chosen.value if chosen is not None else plan.runtime.name
    return _locked(core, plan.framework, name, plan.runtime.device)


def require_follow_ups(core: Core, plan: LaunchPlan) -> None:
    """Refuse a job whose follow-ups could not run here for want of a runtime."""
    from starforge.frameworks.exporting import FALLBACK, export_plan

    for step in plan.then or []:
        if step.kind == "export":
            interpreter(core, export_plan(plan, step, "-"))
            continue
        wanted = step.resources or ("gpu" if plan.resources.gpus else "cpu")
        chosen = place_of(FALLBACK, core.settings.catalog_folder)
        if chosen is None or chosen.kind == "runtime":
            name = chosen.value if chosen else FALLBACK
            _locked(core, FALLBACK, name, "cuda" if wanted.startswith("gpu") else "cpu")


def _locked(core: Core, framework: str, name: str, device: str) -> str:
    from starforge import runtimes
    from starforge.runtimes.spec import names

    if name not in names():
        raise _needs_image(framework)
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


def _needs_image(framework: str) -> StarForgeError:
    return StarForgeError(
        "runtime/needs-image",
        Text(f"{framework} has no runtime that `sf` can build: it needs an environment of yours",
             f"{framework} 没有可由 `sf` 构建的运行环境，需要自备"),
        Text(f"name an interpreter that has it in runtimes.yaml of the catalog folder; "
             f"deploy/docker/Dockerfile.{framework} makes an image with one, and the server can "
             "run in a container of it",
             f"请在目录文件夹的 runtimes.yaml 中给出装有它的解释器；"
             f"deploy/docker/Dockerfile.{framework} 可构建带有它的镜像，服务可以在该容器里运行"),
        status=422,
    )  # fmt: skip


def _image_here(framework: str, chosen: Place) -> StarForgeError:
    return StarForgeError(
        "runtime/image-here",
        Text(f"{framework} runs in the image {chosen.value} ({chosen.source}), but this server "
             "starts processes of its own machine, not containers",
             f"{framework} 使用镜像 {chosen.value}（{chosen.source}），"
             "而本服务直接在本机启动进程，不运行容器"),
        Text(f"unset {image_variable(framework)}, or name a `python` or `runtime` for it in "
             "runtimes.yaml of the catalog folder",
             f"请取消 {image_variable(framework)}，"
             "或在目录文件夹的 runtimes.yaml 中为它指定 `python` 或 `runtime`"),
        status=422,
    )  # fmt: skip


def _no_python(framework: str, chosen: Place) -> StarForgeError:
    return StarForgeError(
        "runtime/no-python",
        Text(f"runtimes.yaml says that {framework} runs with {chosen.value}, which is no file",
             f"runtimes.yaml 指定 {framework} 使用 {chosen.value}，但没有这个文件"),
        Text("correct the path", "请更正路径"),
        status=422,
    )  # fmt: skip


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
        row = _row(core, spec.name, spec.device, spec.digest, found)
        row.title = BothTexts(en=spec.title.en, zh=spec.title.zh)
        row.estimate, row.download, row.current = spec.size, spec.download, True
        rows.append(row)
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
        current=False,
    )
