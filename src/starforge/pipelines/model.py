"""pipeline.yaml, typed. Positions of everything written are in ``Pipeline.document``."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from starforge.findings import Location
from starforge.lab.document import Document

PIPELINE_FILE = "pipeline.yaml"
PIPELINES = "pipelines"  # the folder of a lab's pipelines
METHOD = "evalkit/benchmark"  # what a stage with `benchmark` is an experiment of
MODELS = ("model", "teacher", "reward")


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What another stage leaves: its model (``which``: ``last``, ``best``, ``step-N``), or the
    file ``path`` of its output folder. ``key`` is where pipeline.yaml names it.
    """

    stage: str
    key: str
    which: str | None = None
    path: str | None = None

    @property
    def reference(self) -> str:
        """The stand-in for what is not there yet (``starforge.lab.inputs.STAGE``)."""
        which = f"@{self.which}" if self.which else ""
        path = f":{self.path}" if self.path else ""
        return f"stage:{self.stage}{which}{path}"


class Gate(msgspec.Struct, frozen=True, kw_only=True):
    """What a stage's score must reach.

    ``benchmark.metric op bound``, where the bound is ``number``, or the same score of
    ``stage`` plus ``margin`` (times the standard error of the difference with ``in_se``).
    ``op`` ``better`` goes by which way is good for the metric.
    """

    text: str
    benchmark: str
    metric: str
    op: Literal[">=", ">", "<=", "<", "better"]
    number: float | None = None
    stage: str | None = None
    margin: float = 0.0
    in_se: bool = False


class Stage(msgspec.Struct, frozen=True, kw_only=True):
    """One stage: an experiment with overrides, or benchmarks of a model.

    ``replace`` are inputs named in place of the experiment's, ``results`` those that come
    from other stages, both by ``model``, ``teacher``, ``reward`` or ``data.SPLIT``.
    ``needs`` are the stages written there; see :func:`starforge.pipelines.graph.needs_of`
    for all. A failed stage is run ``retries`` more times.
    """

    name: str
    experiment: str | None = None
    benchmarks: list[str] = []
    sets: dict[str, Any] = {}
    resources: str | None = None
    replace: dict[str, str] = {}
    results: dict[str, Result] = {}
    needs: list[str] = []
    gates: list[Gate] = []
    retries: int = 0

    @property
    def kind(self) -> Literal["experiment", "benchmark"]:
        """Whether the stage runs an experiment of the lab or scores a model."""
        return "experiment" if self.experiment is not None else "benchmark"

    @property
    def set_texts(self) -> list[str]:
        """The overrides as texts of ``--set``; JSON quotes whatever needs quoting."""
        return [f"{key}={_json(value)}" for key, value in self.sets.items()]


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


class Pipeline(msgspec.Struct, frozen=True, kw_only=True):
    """A pipeline as its author wrote it: stages in the order of the file."""

    name: str
    document: Document
    stages: dict[str, Stage] = {}
    description: str = ""

    def at(self, key: str) -> Location:
        """Return where ``key`` stands in pipeline.yaml (its parent when it is absent)."""
        return self.document.at(key)

    def at_stage(self, stage: str, key: str = "") -> Location:
        """Return where a stage, or a key of it, stands."""
        return self.document.at(f"stages.{stage}.{key}" if key else f"stages.{stage}")
