"""The server's log never holds the values of local variables: they may be tokens."""

import json
import logging

import pytest
import structlog

from starforge.server import log as server_log


@pytest.fixture(autouse=True)
def logging_as_before():
    root, structured = logging.getLogger(), structlog.get_config()
    handlers, level, raises = root.handlers[:], root.level, logging.raiseExceptions
    yield
    for handler in root.handlers:
        handler.close()
    root.handlers[:], logging.raiseExceptions = handlers, raises
    root.setLevel(level)
    structlog.configure(**structured)


def test_a_traceback_has_no_values(tmp_path):
    path = tmp_path / "server.log"
    server_log.configure(path)
    authorization = "Bearer very-secret"
    try:
        raise ValueError(len(authorization))
    except ValueError:
        structlog.get_logger().exception("failed")
    text = path.read_text("utf-8")
    assert json.loads(text.splitlines()[-1])["exception"][0]["exc_type"] == "ValueError"
    assert "very-secret" not in text
