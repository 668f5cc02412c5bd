"""Methods over the API: whatever a person reads is in the language of the request."""

import pytest


@pytest.mark.parametrize(("lang", "says"), [("en", "not installed"), ("zh-CN", "尚未安装")])
def test_where_a_method_runs_is_said_in_the_asked_language(user, tmp_path, monkeypatch, lang, says):
    monkeypatch.setenv("STARFORGE_RUNTIMES", str(tmp_path / "none"))
    headers = {"Accept-Language": lang}
    found = user.get("/api/v1/methods/trl/grpo", headers=headers).json()["place"]
    assert found["ready"] is False and says in found["detail"]
    listed = user.get("/api/v1/methods", headers=headers).json()
    assert next(one for one in listed if one["name"] == "trl/grpo")["place"] == found
