"""Limits on request bodies, kept while they arrive."""

from __future__ import annotations

from fastapi import Request

from starforge.errors import StarForgeError
from starforge.i18n import Text


async def read_limited(request: Request, limit: int) -> bytes:
    """Return the whole body; refuse one of more than ``limit`` bytes without reading it."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise too_large(limit)
    parts: list[bytes] = []
    total = 0
    async for part in request.stream():
        total += len(part)
        if total > limit:
            raise too_large(limit)
        parts.append(part)
    return b"".join(parts)


def too_large(limit: int) -> StarForgeError:
    """Say that a body is too large."""
    return StarForgeError(
        "request/too-large",
        Text(f"the request body is larger than {limit} bytes", f"请求内容超过了 {limit} 字节"),
        Text("large files travel as blobs", "大文件请以 blob 方式上传"),
        status=413,
    )
