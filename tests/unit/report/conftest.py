import os

import pytest

from starforge import report


@pytest.fixture(autouse=True)
def apart(tmp_path, monkeypatch):
    """Each test in its own folder, outside of any job, with no run left over."""
    for name in list(os.environ):
        if name.startswith("STARFORGE_") or name == "RANK":
            monkeypatch.delenv(name)
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", "x")  # so that it is restored in the end
    monkeypatch.delenv("STARFORGE_ATTEMPT_DIR")
    monkeypatch.setenv("SF_LANG", "en")
    monkeypatch.chdir(tmp_path)
    report.finish()  # of other files' tests in this process, too
    yield
    report.finish()
