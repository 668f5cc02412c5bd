"""Native keys for completion."""

import pytest

URL = "/api/v1/methods/trl/sft/keys"


def test_keys_by_path_and_by_published_name(user):
    found = user.get(URL, params={"search": "learning_rate"}).json()
    first = found["keys"][0]
    assert (first["path"], first["parameter"]) == ("learning_rate", "learning_rate")
    assert first["type"]
    everything = user.get(URL, params={"limit": 5000}).json()
    assert everything["total"] == len(everything["keys"]) > 100
    named = next(one for one in everything["keys"] if one["parameter"] not in (None, one["path"]))
    again = user.get(URL, params={"search": named["parameter"]}).json()
    assert named["path"] in [one["path"] for one in again["keys"]]


def test_a_pinned_key_says_why(user):
    everything = user.get(URL, params={"limit": 5000}).json()["keys"]
    pinned = [one for one in everything if one["pinned"]]
    assert pinned
    chinese = user.get(URL, params={"limit": 5000}, headers={"Accept-Language": "zh"}).json()
    other = {one["path"]: one["pinned"] for one in chinese["keys"]}
    assert all(other[one["path"]] != one["pinned"] for one in pinned)


@pytest.mark.parametrize("search", ["<script>", "%", "\\", "nothing-like-it"])
def test_what_no_key_holds(user, search):
    assert user.get(URL, params={"search": search}).json()["keys"] == []


def test_limits_and_unknown_methods(user, anybody):
    found = user.get(URL, params={"limit": 3}).json()
    assert len(found["keys"]) == 3 < found["total"]
    assert user.get(URL, params={"limit": 0}).status_code == 400
    assert user.get("/api/v1/methods/trl/nope/keys").status_code == 404
    assert anybody.get(URL).status_code == 401
