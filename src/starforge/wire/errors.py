"""How every refusal looks: ``{"error": {...}, "findings": [...], "detail": {...}}``."""

from __future__ import annotations

from typing import Any

from starforge.wire.base import Shape
from starforge.wire.findings import Finding


class ErrorBody(Shape):
    """What went wrong and how to fix it, in the language of the request."""

    code: str
    message: str
    hint: str | None = None


class ErrorResponse(Shape):
    """The body of every answer with a status of 400 or more.

    ``findings`` come with a refused experiment (422), ``detail`` with a plan that differs
    (409: ``{"differs": [...], "plan_digest": ...}``) and with internal errors (``{"id"}``).
    """

    error: ErrorBody
    findings: list[Finding] | None = None
    detail: dict[str, Any] | None = None
