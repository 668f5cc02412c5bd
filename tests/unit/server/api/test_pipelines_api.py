"""What the routes of pipelines refuse; the rest is tested with real servers."""

import pytest

URL = "/api/v1/pipelines"


def test_only_who_may_sees_pipelines(anybody, user):
    assert anybody.get(URL).status_code == 401
    assert anybody.post(f"{URL}/x/stop").status_code == 401
    assert user.get(URL).json() == {"pipelines": [], "total": 0, "page": 1, "size": 50}


@pytest.mark.parametrize("way", ["", "/stop", "/resume"])
def test_a_pipeline_that_is_not_there(user, way):
    answer = user.post(f"{URL}/nope{way}") if way else user.get(f"{URL}/nope")
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "pipeline/not-found")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"name": "p", "text": "stages: {}", "stages": [], "colour": "red"},
        {"name": "", "text": "stages: {}", "stages": []},
        {"name": "p", "text": "stages: {}", "stages": [{"name": "a", "job": {"bundle": "x"}}]},
        {"name": "p", "text": "x" * ((1 << 20) + 1), "stages": []},
    ],
)
def test_requests_of_a_wrong_shape(user, body):
    answer = user.post(URL, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "request/invalid")


def test_a_pipeline_without_stages_is_refused_with_findings(user):
    headers = {"Accept-Language": "zh"}
    answer = user.post(URL, json={"name": "p", "text": "name: p", "stages": []}, headers=headers)
    assert answer.status_code == 422
    assert [one["code"] for one in answer.json()["findings"]] == ["pipeline/no-stages"]
    assert "没有 `stages`" in answer.json()["findings"][0]["message"]


def test_lists_take_states_that_there_are(user):
    for state in ("running", "stopping", "succeeded", "failed", "stopped"):
        assert user.get(URL, params={"state": state}).json()["total"] == 0
    assert user.get(URL, params={"state": "odd"}).status_code == 400
