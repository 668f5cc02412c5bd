"""A job shown to a person."""

from __future__ import annotations

from starforge.cli.output import (
    STATE_COLOURS,
    duration,
    moment,
    number,
    print_fields,
    print_table,
    say,
    size,
    state_name,
    style,
    visible,
)
from starforge.lang import t
from starforge.wire.jobs import Job, JobDetail


def state_text(job: Job) -> str:
    """Return the state with its reason in words."""
    shown = style(state_name(job.state), STATE_COLOURS.get(job.state))
    why = job.message or job.reason
    return f"{shown} ({why})" if why else shown


def progress_text(job: Job) -> str:
    """Return steps done and time left, or nothing."""
    progress = job.progress
    if progress is None or progress.step is None:
        return ""
    total = f"/{progress.total}" if progress.total else ""
    eta = ""
    if progress.eta_seconds is not None and job.ended_at is None:
        eta = t(", {time} left", "，还需 {time}", time=duration(progress.eta_seconds))
    return f"{progress.step}{total}{eta}"


def print_detail(job: JobDetail) -> None:
    """Print everything about a job but its streams."""
    took = (
        (job.ended_at - job.started_at).total_seconds() if job.started_at and job.ended_at else None
    )
    headline = "  ".join(f"{name} {number(value)}" for name, value in job.headline.items())
    print_fields(
        [
            ("ID", job.id),
            (t("name", "名字"), job.name),
            (t("method", "方法"), job.method),
            (t("state", "状态"), state_text(job)),
            (t("step", "步数"), progress_text(job)),
            (t("metrics", "指标"), headline),
            (t("description", "说明"), visible(job.description or "")),
            (t("tags", "标签"), visible(", ".join(job.tags))),
            (t("runs on", "运行于"), f"{job.engine}, {job.cpus} CPU, {job.gpus} GPU"),
            (t("created", "创建"), moment(job.created_at)),
            (t("started", "开始"), moment(job.started_at) if job.started_at else ""),
            (t("ended", "结束"), moment(job.ended_at) if job.ended_at else ""),
            (t("took", "用时"), duration(took) if took is not None else ""),
            (t("commit", "提交"), _commit(job)),
            (t("follows", "前置任务"), job.parent or ""),
            (t("pipeline", "流水线"), f"{job.pipeline} / {job.stage}" if job.pipeline else ""),
            (t("sweep", "参数搜索"), f"{job.sweep} / {job.trial}" if job.sweep else ""),
            (t("again", "重跑自"), job.rerun_of or ""),
            (t("then", "后续步骤"), _then(job)),
            (t("folder", "文件夹"), job.folder),
        ]
    )
    _alerts(job)
    _attempts(job)
    _outputs(job)
    _checks(job)
    _children(job)
    _notes(job)


def _commit(job: JobDetail) -> str:
    if not job.source or not job.source.get("commit"):
        return ""
    dirty = t(" with uncommitted changes", "，含未提交的修改") if job.source.get("dirty") else ""
    return str(job.source["commit"])[:12] + dirty


def _alerts(job: JobDetail) -> None:
    """Say what looks wrong with how the job learns."""
    if not job.alerts:
        return
    say()
    print_table(
        [t("alert", "告警"), t("attempt", "运行"), t("step", "步"), ""],
        [(one.code, one.attempt, one.step, one.text) for one in job.alerts],
        right=(2,),
    )


def _attempts(job: JobDetail) -> None:
    if not job.attempts:
        return
    say()
    print_table(
        [
            t("attempt", "运行"),
            t("state", "状态"),
            t("reason", "原因"),
            t("exit code", "退出码"),
            t("started", "开始"),
            t("ended", "结束"),
        ],
        [
            (
                one.number,
                one.state,
                one.reason,
                one.exit_code,
                moment(one.started_at),
                moment(one.ended_at),
            )
            for one in job.attempts
        ],
        state=1,
    )


def _outputs(job: JobDetail) -> None:
    if not job.outputs:
        return
    say()
    print_table(
        [
            t("output", "产出"),
            t("kind", "类型"),
            t("size", "大小"),
            t("path", "路径"),
            t("use as", "引用"),
        ],
        [(one.name, one.kind, size(one.size), one.path, one.ref) for one in job.outputs],
    )


def _then(job: JobDetail) -> str:
    """Name the steps that are still to come."""
    if job.children or not job.then:
        return ""
    names = []
    for step in job.then:
        packs = step.get("params", {}).get("benchmarks") or []
        names.append("export" if step.get("kind") == "export" else "+".join(map(str, packs)))
    return visible(", ".join(names))


def _checks(job: JobDetail) -> None:
    """Say what the export check saw of a model."""
    for one in job.outputs:
        check = (one.meta or {}).get("check")
        if not isinstance(check, dict):
            continue
        if check.get("score") is not None:
            seen = t(
                "scores a text with {value}", "给一段文本打分 {value}", value=number(check["score"])
            )
        else:
            seen = t("generates {n} tokens", "能生成 {n} 个词元", n=check.get("tokens"))
        say()
        say(
            t(
                "{name} was checked by job {job}: {what}, {dtype}; {seen}",
                "{name} 已由任务 {job} 检查：{what}，{dtype}；{seen}",
                name=one.name,
                job=check.get("job"),
                what=visible(str(check.get("architecture"))),
                dtype=visible(str(check.get("dtype"))),
                seen=seen,
            )
        )


def _children(job: JobDetail) -> None:
    if not job.children:
        return
    say()
    print_table(
        [t("then", "后续任务"), "ID", t("method", "方法"), t("state", "状态"), t("reason", "原因")],
        [(one.name, one.id, one.method, one.state, one.reason) for one in job.children],
        state=3,
    )


def _notes(job: JobDetail) -> None:
    """Say what could not be used of what the job wrote."""
    if not job.notes:
        return
    say()
    print_table(
        [t("stream", "数据流"), t("attempt", "运行"), t("times", "次数"), t("note", "说明")],
        [(one.path, one.attempt, one.count, one.text) for one in job.notes],
        right=(2,),
    )
