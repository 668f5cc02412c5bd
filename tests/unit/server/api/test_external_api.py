"""Scores of other sources over the API: kept once, listed, removed, and never on the board."""

import pytest

URL = "/api/v1/board/external"
ROW = {
    "model": "A", "benchmark": "gsm8k", "metric": "exact_match", "value": 0.5, "stderr": 0.01,
    "source": "https://example.org", "date": "2026-01-31", "settings": {"few_shot": 8},
}  # fmt: skip


def test_scores_are_kept_once_and_removed(user):
    rows = [ROW, ROW | {"benchmark": "mmlu", "model": "乙"}]
    assert user.post(URL, json={"scores": rows}).json() == {"added": 2, "known": 0}
    again = user.post(URL, json={"scores": [*rows, ROW | {"value": 0.6}]})
    assert again.json() == {"added": 1, "known": 2}
    found = user.get(URL).json()
    assert [one["value"] for one in found] == [0.5, 0.6, 0.5]
    assert ROW.items() <= found[0].items()
    assert [one["model"] for one in user.get(URL, params={"benchmark": "mmlu"}).json()] == ["乙"]
    assert user.get("/api/v1/board").json() == []
    assert user.delete(f"{URL}/{found[0]['id']}").status_code == 204
    gone = user.delete(f"{URL}/{found[0]['id']}")
    assert (gone.status_code, gone.json()["error"]["code"]) == (404, "board/no-external")
    assert len(user.get(URL, params={"model": "A"}).json()) == 1


@pytest.mark.parametrize(
    "changes", [{"value": None}, {"source": ""}, {"date": "x"}, {"extra": 1}, {"items": 0}]
)
def test_bad_scores_are_refused_together(user, changes):
    refused = user.post(URL, json={"scores": [ROW, ROW | changes]})
    assert refused.status_code in {400, 422}
    assert user.get(URL).json() == []


def test_only_who_is_known_may(anybody):
    assert anybody.post(URL, json={"scores": [ROW]}).status_code == 401
    assert anybody.delete(f"{URL}/1").status_code == 401
