"""What this deployment publishes, where each method runs, and what it does not take."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from starforge.catalog.deployment import Place, place_of
from starforge.catalog.load import DATA, load_catalog, unknown_method
from starforge.catalog.public import detail, summary
from starforge.catalog.publish import own_files
from starforge.catalog.search import search
from starforge.errors import ExitCode, StarForgeError
from starforge.i18n import Lang, Text
from starforge.server.core import Core
from starforge.wire.base import BothTexts
from starforge.wire.methods import (
    BrokenFile,
    CatalogFiles,
    CatalogInfo,
    HiddenMethod,
    LeftOut,
    MethodPlace,
)

NO_RUNTIME = "none"


def methods(
    core: Core, lang: Lang, *, data: str | None, framework: str | None, text: str | None
) -> list[dict[str, Any]]:
    """Return the published methods that fit, each with where it runs."""
    publication = core.publication
    found = search(publication.catalog, data=data, framework=framework, text=text)
    return [
        summary(one) | _whereabouts(core, one.name, one.framework, one.runtime, lang)
        for one in found
    ]


def method(core: Core, name: str, lang: Lang) -> dict[str, Any]:
    """Return one published method whole."""
    require(core, name)
    recipe = core.catalog.recipe(name)
    return detail(recipe) | _whereabouts(core, name, recipe.framework, recipe.runtime, lang)


def info(core: Core) -> CatalogInfo:
    """Return what is published, hidden and broken."""
    publication = core.publication
    digests = publication.digests()
    own = [name for name in digests if publication.catalog.is_own(name)]
    rest = left_out(core)
    return CatalogInfo(
        digest=publication.digest(),
        methods=digests,
        hidden=rest.hidden,
        broken=rest.broken,
        own=own,
    )


def left_out(core: Core) -> LeftOut:
    """Return what is there and not published; reads no recipe of the bundled catalog."""
    publication = core.publication
    hidden = [
        HiddenMethod(name=name, reason=BothTexts(en=why.en, zh=why.zh))
        for name, why in sorted(publication.hidden.items())
    ]
    broken = [BrokenFile(file=f, problem=p) for f, p in sorted(publication.broken.items())]
    return LeftOut(hidden=hidden, broken=broken)


def files(core: Core) -> CatalogFiles:
    """Return the deployment's own files, for clients that prepare experiments with them."""
    overlay = core.publication.catalog.overlay
    found = own_files(overlay) if overlay is not None else {}
    text = json.dumps(found, sort_keys=True, ensure_ascii=False)
    without = sorted(core.publication.catalog.without)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return CatalogFiles(digest=digest, files=found, without=without)


def require(core: Core, name: str, digest: str | None = None) -> None:
    """Refuse a method that is not published, or whose recipe is another here.

    ``digest`` is that of the recipe the experiment was prepared with.
    """
    publication = core.publication
    if name not in publication.catalog.names():
        raise _not_published(core, name)
    if digest is None:
        return
    here = publication.catalog.recipe(name).digest
    if here != digest:
        raise StarForgeError(
            "submit/recipe-differs",
            Text(
                f"the recipe of {name} was {digest[:12]} when this was prepared; "
                f"this server publishes {here[:12]}",
                f"准备实验时 {name} 的配方是 {digest[:12]}，而本服务发布的是 {here[:12]}",
            ),
            Text(
                "validate it again while connected to this server (`sf validate EXP`): "
                "`sf` then uses the server's catalog",
                "请在连接本服务时重新运行 `sf validate 实验`：`sf` 会使用服务的目录",
            ),
            status=409,
        )


def place(
    core: Core, framework: str, runtime: str, lang: Lang, device: str | None = None
) -> MethodPlace:
    """Return where a framework runs here, and whether a job could start."""
    chosen = place_of(framework, core.settings.catalog_folder)
    if chosen is None and runtime == NO_RUNTIME:
        return MethodPlace(kind="none")
    if chosen is None:
        chosen = Place(kind="runtime", value=runtime, source="")
    return _described(core, framework, chosen, device, lang)


def _described(
    core: Core, framework: str, chosen: Place, device: str | None, lang: Lang
) -> MethodPlace:
    if chosen.kind == "image":
        why = Text(
            f"named by {chosen.source}; this server's engine starts processes, not containers",
            f"由 {chosen.source} 指定；本服务的引擎直接启动进程，不运行容器",
        )
        return MethodPlace(kind="image", name=chosen.value, ready=False, detail=why.pick(lang))
    if chosen.kind == "python":
        from pathlib import Path

        ready = Path(chosen.value).is_file()
        missing = Text("there is no such file", "没有这个文件").pick(lang)
        return MethodPlace(
            kind="python", name=chosen.value, ready=ready, detail="" if ready else missing
        )
    return _runtime_place(core, framework, chosen.value, device, lang)


def _runtime_place(
    core: Core, framework: str, name: str, device: str | None, lang: Lang
) -> MethodPlace:
    from starforge import runtimes
    from starforge.runtimes.spec import DEVICES, names

    if name not in names():
        own = _own_image(framework).pick(lang)
        return MethodPlace(kind="runtime", name=name, ready=False, detail=own)
    devices = [device] if device else list(DEVICES)
    ready = any(runtimes.find(core.settings.home, name, one) is not None for one in devices)
    how = Text(
        f"not installed: `sf runtime install {name}`", f"尚未安装：`sf runtime install {name}`"
    )
    return MethodPlace(
        kind="runtime", name=name, ready=ready, detail="" if ready else how.pick(lang)
    )


def _own_image(framework: str) -> Text:
    return Text(
        "it needs an environment of yours: name an interpreter that has it in runtimes.yaml "
        f"(deploy/docker/Dockerfile.{framework} makes an image with one)",
        "需要自备运行环境：在 runtimes.yaml 中给出装有它的解释器"
        f"（deploy/docker/Dockerfile.{framework} 可构建带有它的镜像）",
    )


def _whereabouts(core: Core, name: str, framework: str, runtime: str, lang: Lang) -> dict[str, Any]:
    own = core.publication.catalog.is_own(name)
    shown = place(core, framework, runtime, lang).model_dump(mode="json")
    return {"source": "deployment" if own else "bundled", "place": shown}


def _not_published(core: Core, name: str) -> StarForgeError:
    publication = core.publication
    why = publication.hidden.get(name)
    problem = publication.broken.get(f"recipes/{name}.yaml")
    if why is None and problem is not None:
        why = Text(f"its file is broken: {problem}", f"它的文件无效：{problem}")
    elif why is None and name in load_catalog(DATA).names():
        why = Text("a file of its catalog is broken", "它的目录中有文件无效")
    if why is None:
        return unknown_method(name, publication.catalog.names())
    return StarForgeError(
        "catalog/not-published",
        Text(f"this server does not publish {name}: {why.en}", f"本服务没有发布 {name}：{why.zh}"),
        Text("`sf methods` lists what it publishes", "用 `sf methods` 查看它发布的方法"),
        exit_code=ExitCode.NOT_FINE,
        status=404,
    )
