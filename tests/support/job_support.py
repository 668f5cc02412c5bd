"""Run the processes of a plan by hand, as an engine would, without server and runner."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import uuid
from pathlib import Path
from typing import Any

from starforge import layout
from starforge.engines.base import Launch
from starforge.engines.launch import launch_document
from starforge.lab.context import PrepareContext
from starforge.plan import LaunchPlan


class Job:
    """A job's folder, filled from a plan and the experiment it was made of."""

    def __init__(self, folder: Path, plan: LaunchPlan, context: PrepareContext) -> None:
        # Unlike any other on this machine: processes are found, and killed, by this name.
        self.id = f"test-{uuid.uuid4().hex[:12]}"
        self.folder = folder
        self.plan = plan
        for name in (layout.CODE, layout.DATA, layout.OUTPUT):
            (folder / name).mkdir(parents=True)
        for file in plan.files:
            target = folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            if file.content is not None:
                target.write_text(file.content, "utf-8")
            else:
                source = context.experiment.folder / Path(file.path).relative_to(layout.CODE)
                shutil.copy(source, target)
        for split, source in context.data.items():
            assert source.path is not None
            shutil.copy(source.path, folder / layout.DATA / f"{split}.jsonl")

    def attempt(self, number: int = 0) -> Path:
        """Return the folder of an attempt."""
        return layout.attempt_dir(self.folder, number)

    def process(
        self,
        *,
        python: str | None = None,
        model: str | None = None,
        attempt: int = 0,
        resume: bool = False,
        models: dict[str, str] | None = None,
        **env: str,
    ) -> dict[str, Any]:
        """Return arguments for ``subprocess`` that start the plan's only process.

        ``models`` are further models by role (``teacher``, ``reward``).
        """
        launch = Launch(
            job_id=self.id, attempt=attempt, job_dir=self.folder, plan=self.plan, python=python,
            models=({"model": model} if model else {}) | (models or {}), resume=resume,
            server_url=None, job_token="", lang="en",
        )  # fmt: skip
        (described,) = launch_document(launch, ship_timeout=0)["processes"]
        self.attempt(attempt).mkdir(exist_ok=True)
        base = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "HF_HUB_OFFLINE": "1"}
        return {
            "args": described["argv"],
            "env": base | described["env"] | {"OMP_NUM_THREADS": "1"} | env,
            "cwd": described["cwd"],
            "text": True,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.STDOUT,
            "stdin": subprocess.DEVNULL,
        }

    def run(self, **how: Any) -> subprocess.CompletedProcess[str]:
        """Run the plan's process to its end; ``stdout`` holds everything it wrote."""
        return subprocess.run(**self.process(**how), check=False, timeout=240)

    def rows(self, path: str, attempt: int = 0) -> list[dict[str, Any]]:
        """Return the rows of a JSON Lines file of an attempt."""
        return [json.loads(line) for line in (self.attempt(attempt) / path).open("rb")]
