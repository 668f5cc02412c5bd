"""Structured logs: one JSON object a line in ``server.log``, rotated by size."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

import structlog
from structlog.tracebacks import ExceptionDictTransformer


def configure(path: Path) -> None:
    """Send structlog's and uvicorn's records to ``path``."""
    handler = RotatingFileHandler(path, maxBytes=20 * 1024 * 1024, backupCount=3, encoding="utf-8")
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        # Without the values of local variables: they may hold tokens.
        structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
    ]
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
            ],
        )
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    # On a full disk every record would bring a traceback on stderr, which nobody may read.
    logging.raiseExceptions = False
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
    for name in ("uvicorn.access", "alembic"):
        logging.getLogger(name).setLevel(logging.WARNING)
