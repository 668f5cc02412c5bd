"""Turn the benchmarks of a job into tasks of lm-eval, and explain what can't be loaded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eval_metrics import register_rewards
from job_files import JobError, one_line

from starforge.lang import t

# By name, since the libraries behind lm-eval change which of them raises what.
UNREACHABLE = frozenset({
    "ConnectionError", "ConnectTimeout", "ConnectError", "ReadTimeout", "OfflineModeIsEnabled",
    "LocalEntryNotFoundError", "DatasetNotFoundError", "HfHubHTTPError", "MaxRetryError",
    "RepositoryNotFoundError", "GatedRepoError", "ProxyError", "SSLError", "NameResolutionError",
})  # fmt: skip


def task_spec(benchmark: dict[str, Any]) -> str | dict[str, Any]:
    """Return what lm-eval loads: the name of its own task, or a definition over local rows."""
    if benchmark.get("hub") and not benchmark.get("rows"):
        return str(benchmark["hub"]["task"])
    register_rewards()
    rows = Path(benchmark["rows"])
    if not rows.is_file():
        raise JobError(
            t("the items of {name} are missing: {path}", "缺少 {name} 的题目：{path}",
              name=benchmark["name"], path=rows)
        )  # fmt: skip
    return {
        **benchmark["task"],
        "task": benchmark["name"],
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(rows)}},
        "test_split": "test",
        # Examples come from the items themselves; naming the split lets lm-eval leave out
        # the very item that is asked.
        "fewshot_split": "test",
        "metadata": {"version": benchmark["settings"]["version"]},
    }


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and what it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def hub_problem(benchmark: dict[str, Any], error: BaseException) -> JobError | None:
    """Return the error to show when the hub's data can't be had, or a package is missing.

    ``None`` for other failures.
    """
    if isinstance(error, JobError):
        return error
    for one in chain(error):
        if isinstance(one, ImportError):
            return JobError(
                t("benchmark {name} needs a package that the runtime does not hold: {reason}",
                  "评测包 {name} 需要的软件包不在运行环境中：{reason}",
                  name=benchmark["name"], reason=one_line(one)[:200])
            )  # fmt: skip
    names = {cls.__name__ for one in chain(error) for cls in type(one).__mro__}
    if benchmark.get("rows") or not names & UNREACHABLE:
        return None
    if benchmark.get("evalscope"):
        return evalscope_problem(benchmark, error)
    dataset = benchmark["hub"]["dataset"]
    return JobError(
        t("benchmark {name} needs the hub dataset {dataset}, which can't be reached from here "
          "({reason}): connect this machine to the hub, set HF_ENDPOINT to a mirror, put the "
          "dataset into the cache that HF_HOME names{way}",
          "评测包 {name} 需要 hub 数据集 {dataset}，但这里连不上（{reason}）：请联网、"
          "用 HF_ENDPOINT 指定镜像、把数据集放进 HF_HOME 所指的缓存{way}",
          name=benchmark["name"], dataset=dataset, reason=one_line(error)[:200],
          way=local_way(benchmark))
    )  # fmt: skip


def evalscope_problem(benchmark: dict[str, Any], error: BaseException) -> JobError:
    """Return the error to show when what evalscope's own benchmark loads can't be had."""
    dataset = benchmark["evalscope"].get("hub") or benchmark["evalscope"]["dataset"]
    return JobError(
        t("benchmark {name} needs the dataset {dataset}, which can't be reached from here "
          "({reason}): connect this machine to ModelScope, set evalscope.dataset_hub to "
          "huggingface, put the dataset into the cache that MODELSCOPE_CACHE names{way}",
          "评测包 {name} 需要数据集 {dataset}，但这里连不上（{reason}）：请让这台机器能访问 "
          "ModelScope、把 evalscope.dataset_hub 设为 huggingface、"
          "把数据集放进 MODELSCOPE_CACHE 所指的缓存{way}",
          name=benchmark["name"], dataset=dataset, reason=one_line(error)[:200],
          way=local_way(benchmark))
    )  # fmt: skip


def local_way(benchmark: dict[str, Any]) -> str:
    """Return the hint to give items as a file, for a benchmark that takes them."""
    if not benchmark.get("task"):
        return ""
    return t(" or give the items as a local file with data.test in experiment.yaml",
             "，或在 experiment.yaml 里用 data.test 指定本地题目文件")  # fmt: skip
