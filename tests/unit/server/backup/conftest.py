import pytest

from starforge.server.backup.create import create


@pytest.fixture
def backup(core, tmp_path):
    """Back up the core's home; give the file."""

    def make(**how):
        file = tmp_path / f"b{len(list(tmp_path.iterdir()))}.tar.zst"
        return file, create(core.settings, file, **how)

    return make
