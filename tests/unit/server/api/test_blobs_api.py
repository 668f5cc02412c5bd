"""Uploads over the API: who asks for content keeps it from being removed."""

import hashlib
import os

import pytest

CONTENT = b"rows\n"
DIGEST = hashlib.sha256(CONTENT).hexdigest()
PATH = f"/api/v1/blobs/{DIGEST}"


def test_content_comes_and_is_there(user):
    assert user.head(PATH).status_code == 404
    assert user.put(PATH, content=CONTENT).status_code == 201
    assert user.put(PATH, content=CONTENT).status_code == 200
    assert user.head(PATH).headers["Content-Length"] == str(len(CONTENT))
    assert user.get(PATH).content == CONTENT


def test_other_bytes_are_refused(user):
    answer = user.put(PATH, content=b"others\n")
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]["code"] == "blob/digest"
    assert user.head(PATH).status_code == 404


@pytest.mark.parametrize("asks", ["head", "put"])
def test_who_asks_for_content_that_is_there_keeps_it(user, core, asks):
    assert user.put(PATH, content=CONTENT).is_success
    os.utime(core.blobs.path(DIGEST), (0, 0))
    assert list(core.blobs.unused(60)) == [DIGEST]
    assert getattr(user, asks)(PATH).is_success
    assert list(core.blobs.unused(60)) == []
