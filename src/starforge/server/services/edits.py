"""Changes to what people say about jobs, and one action on several jobs."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable

from msgspec import UNSET

from starforge.errors import StarForgeError
from starforge.i18n import Lang, Text
from starforge.server.core import Core
from starforge.server.services import jobs as services
from starforge.server.services.job_names import require_name
from starforge.server.store import jobs
from starforge.server.store.database import Tx
from starforge.server.store.records import Job, JobChange, JobSummary
from starforge.server.store.rows import changes, clean
from starforge.wire.edits import BulkRequest, BulkResult, JobEdit
from starforge.wire.errors import ErrorBody

MAX_TAGS = 50
_UNSEEN = frozenset({"Cc", "Cs", "Cf", "Zl", "Zp"})


def edit(core: Core, job: Job, request: JobEdit) -> None:
    """Change a job's name, description, tags or priority; all of it or nothing."""
    given = request.model_fields_set
    name = UNSET if request.name is None else require_name(request.name)
    text = clean((request.description or "").strip()) or None
    description = text if "description" in given else UNSET
    with core.db.write() as tx:
        row = jobs.summary(tx, job.id)
        start = row.tags if request.tags is None else request.tags
        tags = _tags([*start, *request.add_tags], request.remove_tags)
        change = JobChange(
            name=name,
            description=description,
            tags=UNSET if tags == row.tags else tags,
            priority=UNSET if request.priority is None else request.priority,
        )
        _apply(tx, row, change)
    core.bus.publish("job", job.id)
    if request.priority is not None:
        core.bus.publish("wake")


def _apply(tx: Tx, row: JobSummary, change: JobChange) -> None:
    if not changes(change):
        return
    priority = change.priority is not UNSET and change.priority != row.priority
    if priority and row.state != "queued":
        raise StarForgeError(
            "job/not-queued",
            Text(
                f"the priority of {row.name} ({row.id}) can't change any more: it is {row.state}",
                f"任务 {row.name}（{row.id}）的优先级已不能更改，当前状态为 {row.state}",
            ),
            Text("only a job that waits has use for one", "只有排队中的任务才用得上优先级"),
            status=409,
        )
    jobs.change(tx, row.id, change)


def _tags(wanted: Iterable[str], without: Collection[str]) -> list[str]:
    """Return tags once each, in order; refuse what is no tag."""
    gone = {clean(tag).strip() for tag in without}
    kept: dict[str, None] = {}
    for tag in wanted:
        text = clean(tag).strip()
        if not text or any(unicodedata.category(letter) in _UNSEEN for letter in text):
            raise StarForgeError(
                "job/tag",
                Text(f"{tag!r} can't be a tag", f"{tag!r} 不能用作标签"),
                Text("use one line of visible text", "请使用一行可见的文字"),
                status=422,
            )
        if text not in gone:
            kept[text] = None
    if len(kept) > MAX_TAGS:
        raise StarForgeError(
            "job/too-many-tags",
            Text(f"a job has at most {MAX_TAGS} tags", f"一个任务最多有 {MAX_TAGS} 个标签"),
            Text("take some away first", "请先去掉一些"),
            status=422,
        )
    return list(kept)


def bulk(core: Core, request: BulkRequest, lang: Lang) -> list[BulkResult]:
    """Do one thing to several jobs; a job that refuses does not keep the others from it."""
    if request.action in ("tag", "untag") and not request.tags:
        raise StarForgeError(
            "request/no-tags",
            Text("there is no tag to add or to take away", "没有给出要添加或去掉的标签"),
            Text("give `tags`", "请给出 `tags`"),
            status=400,
        )
    return [_one(core, ref, request, lang) for ref in dict.fromkeys(request.ids)]


def _one(core: Core, ref: str, request: BulkRequest, lang: Lang) -> BulkResult:
    found: Job | None = None
    try:
        found = services.find(core, ref)
        _do(core, found, request)
    except StarForgeError as error:
        body = ErrorBody(
            code=error.code,
            message=error.message.pick(lang),
            hint=error.hint.pick(lang) if error.hint else None,
        )
        return BulkResult(ref=ref, id=found.id if found else None, ok=False, error=body)
    return BulkResult(ref=ref, id=found.id, ok=True)


def _do(core: Core, job: Job, request: BulkRequest) -> None:
    if request.action == "stop":
        services.stop(core, job, force=request.force)
    elif request.action == "delete":
        services.delete(core, job, force=request.force)
    elif request.action == "tag":
        edit(core, job, JobEdit(add_tags=request.tags))
    else:
        edit(core, job, JobEdit(remove_tags=request.tags))
