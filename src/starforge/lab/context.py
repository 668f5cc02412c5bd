"""What checks and frameworks are given: one prepared view of an experiment."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from starforge.catalog.models import Contract, ContractConfig, Recipe
from starforge.findings import Location
from starforge.lab.columns import rename_line
from starforge.lab.experiment import Experiment
from starforge.lab.resolved import ResolvedConfig
from starforge.plan import InputRef, PlanFile, Policies, Resources


class DataSource(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of one split: its reference for the plan and, when at hand, a readable copy.

    ``shown`` is the reference as the user wrote it, for findings. ``path`` is ``None``
    when the data lies only on a server (``dataset:NAME@VERSION`` while offline).
    ``columns`` are the renamings of ``data.map``; the file itself is as the user wrote it.
    """

    split: str
    ref: InputRef
    shown: str
    path: Path | None = None

    @property
    def columns(self) -> dict[str, str]:
        """Columns by their names in the file, and the names under which the job reads them."""
        return self.ref.columns or {}

    def renamed(self, columns: dict[str, str]) -> DataSource:
        """Return the same rows with columns renamed."""
        if not columns:
            return self
        return msgspec.structs.replace(self, ref=msgspec.structs.replace(self.ref, columns=columns))

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield ``(line number from 1, row as the job reads it)``, skipping blank lines."""
        columns = self.columns
        if not columns:
            yield from self.raw_lines()
            return
        for number, line in self.raw_lines():
            yield number, rename_line(line, columns)

    def raw_lines(self) -> Iterator[tuple[int, bytes]]:
        """Yield ``(line number from 1, line as it is in the file)``, skipping blank lines."""
        if self.path is None:
            return
        with self.path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                stripped = line.strip()
                if stripped:
                    yield number, stripped


class Reward(msgspec.Struct, frozen=True, kw_only=True):
    """What scores completions: a file of the experiment, or a reward model.

    ``file`` is the path below ``code/`` of a Python file with a function ``reward``;
    ``model`` the reference of a trained reward model. One of the two is set.
    """

    file: str | None = None
    model: InputRef | None = None


class PrepareContext(msgspec.Struct, frozen=True, kw_only=True):
    """Everything known of an experiment once its files are read and joined.

    ``code_files`` are the experiment's own files (``source="experiment"``, paths below
    ``code/``), among them the lab's ``benchmarks/NAME`` folders it names; ``lab_root`` is
    ``None`` on a server, which sees only the uploaded bundle. ``trial`` allows checks to run
    the experiment's own code for a moment: it is set where its author sits.
    """

    experiment: Experiment
    recipe: Recipe
    contract: Contract
    config: ResolvedConfig
    model: InputRef | None
    data: dict[str, DataSource]
    resources: Resources
    policies: Policies
    code_files: list[PlanFile]
    teacher: InputRef | None = None
    reward: Reward | None = None
    lab_root: Path | None = None
    trial: bool = False

    @property
    def contract_config(self) -> ContractConfig:
        """The configuration of the contract that this recipe uses."""
        return self.contract.configs[self.recipe.config]

    @property
    def models(self) -> list[InputRef]:
        """All models that go in: the trained one, the teacher, the reward model."""
        reward = self.reward.model if self.reward else None
        return [ref for ref in (self.model, self.teacher, reward) if ref is not None]

    @property
    def model_path(self) -> Path | None:
        """The model's folder when it lies on this machine."""
        if self.model is not None and self.model.kind == "path":
            return Path(self.model.location)
        return None

    def parameter(self, name: str, default: Any = None) -> Any:
        """Return the effective value of a published parameter."""
        return self.config.parameters.get(name, default)

    def at(self, key: str) -> Location:
        """Return where ``key`` (``model``, ``data.train``, ...) stands in experiment.yaml."""
        return self.experiment.at(key)

    def data_location(self, split: str, line: int | None = None, **more: Any) -> Location:
        """Return a place inside the data file of ``split``."""
        return Location(file=self.data[split].shown, line=line, **more)
