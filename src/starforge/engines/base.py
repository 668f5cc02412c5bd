"""The protocol every engine implements: submit, observe, cancel."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

import msgspec

from starforge.plan import LaunchPlan


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt to be executed. The job folder is already filled."""

    job_id: str
    attempt: int
    job_dir: Path
    plan: LaunchPlan
    python: str | None  # interpreter of the runtime on the engine's machines
    models: dict[str, str]  # folder or hub id of `model`, `teacher` and `reward`
    resume: bool
    server_url: str | None
    job_token: str
    spent: float = 0.0  # seconds that earlier attempts ran
    gpus: list[int] = []  # the devices this attempt may use, by index
    lang: str | None = None  # the language of the job's own messages

    @property
    def key(self) -> str:
        """Identify the attempt; submitting the same key twice starts it once."""
        return f"{self.job_id}/{self.attempt}"


class Observation(msgspec.Struct, frozen=True, kw_only=True):
    """What an engine sees of an attempt.

    ``ended`` comes only from the runner's own record or the engine's; ``lost`` says the
    engine is sure nothing runs any more and no record was left; ``unreachable`` says
    nothing can be known now, and must never be taken for a failure.
    """

    state: Literal["pending", "running", "ended", "lost", "unreachable"]
    detail: str = ""


class Engine(Protocol):
    """Executes attempts. All methods are idempotent and may be called after a restart."""

    name: str

    def submit(self, launch: Launch) -> None:
        """Start the attempt, or do nothing when its key was already submitted."""
        ...

    def observe(self, job_id: str, attempt: int, job_dir: Path) -> Observation:
        """Say what is known of the attempt now."""
        ...

    def cancel(self, job_id: str, attempt: int, job_dir: Path, *, force: bool = False) -> None:
        """Ask the attempt to end (``force``: end every process of it now)."""
        ...
