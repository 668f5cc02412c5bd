import shutil
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "data/catalog"


@pytest.fixture
def data(tmp_path):
    """A copy of the small catalog, to be broken."""
    return Path(shutil.copytree(DATA, tmp_path / "catalog"))
