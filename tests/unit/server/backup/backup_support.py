"""What tests of backups ask of them."""

import pytest

from starforge.errors import StarForgeError
from starforge.server.backup.reader import read


def names(file):
    return set(read(file)[1].files)


def refused(code, work, *given):
    with pytest.raises(StarForgeError) as caught:
        work(*given)
    assert caught.value.code == code
    return caught.value
