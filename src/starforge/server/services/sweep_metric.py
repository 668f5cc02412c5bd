"""Whether a method can report the metric that a sweep goes by."""

from __future__ import annotations

from sqlalchemy import or_, select

from starforge.errors import StarForgeError
from starforge.findings.nearest import nearest
from starforge.i18n import Text
from starforge.prepare import Prepared
from starforge.server.core import Core
from starforge.server.store.tables import jobs, series

OWN = "custom/"  # methods whose scripts report what they like
SHOWN = 6
VALIDATION = "validation"
NEVER = ("/validation-unused", "/never-validated")  # findings of every framework


def validates(done: Prepared) -> bool:
    """Say whether an experiment without errors looks at validation data as it trains."""
    there = done.experiment is not None and VALIDATION in done.experiment.data
    return there and not any(one.code.endswith(NEVER) for one in done.findings)


def require_metric(core: Core, method: str, metric: str, *, validates: bool) -> None:
    """Refuse a metric that neither the recipe nor any job of the method knows.

    A recipe names what matters of what upstream reports; the rest, and rewards of one's own,
    are known once a job has reported them. ``validates``: see :func:`validates`.
    """
    if method.startswith(OWN):
        return
    recipe = core.catalog.recipe(method)
    names = {name: one.name for one in recipe.metrics for name in (one.name, *one.native)}
    if not validates and names.get(metric, "").startswith(f"{VALIDATION}/"):
        raise StarForgeError(
            "sweep/metric",
            Text(f"`{metric}` is measured on validation data, and the experiment never validates",
                 f"`{metric}` 在验证数据上测量，而该实验从不验证"),
            Text("add `data.validation` and switch validation on, or go by another metric, such "
                 "as train/loss",
                 "请加上 `data.validation` 并开启验证，或改用其他指标，例如 train/loss"),
            status=422,
        )  # fmt: skip
    known = set(names)
    if metric in known:
        return
    reported = select(series.c.id).join(jobs, jobs.c.id == series.c.job_id)
    reported = reported.where(
        jobs.c.method == method, or_(series.c.name == metric, series.c.native == metric)
    )
    with core.db.read() as tx:
        if tx.execute(reported.limit(1)).scalar() is not None:
            return
    judged = [one.name for one in recipe.metrics if one.goal != "watch" or one.primary]
    listed = ", ".join(nearest(metric, known) or judged[:SHOWN])
    raise StarForgeError(
        "sweep/metric",
        Text(f"no job of {method} has reported `{metric}`, and the method is not known to",
             f"{method} 的任务从未报告过 `{metric}`，该方法也不提供这个指标"),
        Text(f"--metric may be, for example: {listed}. One of your own (a reward, say) is known "
             "once a job of this method has reported it",
             f"--metric 可以是：{listed} 等。"
             "自定义指标（例如自己的奖励）在有任务报告过之后即可使用"),
        status=422,
    )  # fmt: skip
