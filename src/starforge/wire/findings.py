"""Findings and what validation and planning answer."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from starforge.wire.base import Request, Shape


class Finding(Shape):
    """One thing a check has to say, in the language of the request."""

    code: str
    severity: Literal["error", "warning", "info"]
    file: str | None = None
    line: int | None = None
    column: int | None = None
    key: str | None = None
    value: Any = None
    message: str
    hint: str | None = None


class Explanation(Shape):
    """What there is to say about a code, in the language of the request.

    ``message`` and ``hint`` hold ``{fields}`` where a finding has values.
    """

    code: str
    severity: Literal["error", "warning", "info"]
    title: str
    message: str
    hint: str | None = None
    why: str
    bad: str
    good: str


class Input(Request):
    """One input as the client resolved it (``starforge.plan.InputRef``).

    Data files travel as blobs: upload the bytes under ``digest`` (their sha256) first.
    The plan names inputs exactly as they stand here.
    """

    name: str
    kind: Literal["path", "hub", "registry", "job", "blob", "builtin"]
    location: str
    digest: str | None = None
    file: str | None = None
    rows: int | None = None
    columns: dict[str, str] = {}


class PrepareRequest(Request):
    """An experiment to validate or plan: the digest of its uploaded bundle and its inputs.

    Inputs that the bundle itself holds, or that only the server can resolve
    (``dataset:NAME@VERSION``, ``model:NAME@VERSION``, ``job:ID``), need not be given.
    ``replace`` names inputs that stand instead of those of experiment.yaml, by ``model``,
    ``teacher``, ``reward`` or ``data.SPLIT``.
    """

    bundle: str = Field(pattern=r"^[0-9a-f]{64}$")
    sets: list[str] = []
    profile: str | None = None
    inputs: list[Input] = []
    replace: dict[str, str] = {}


class Validation(Shape):
    """The published shape of ``sf validate --json``."""

    ok: bool
    method: str | None
    findings: list[Finding]


class Planned(Validation):
    """A validation and, when nothing was wrong, the launch plan with its digest."""

    plan: dict[str, Any] | None = None
    plan_digest: str | None = None
