"""Comparing over the API: what is asked, and what is refused."""


def test_refusals_of_a_comparison(user, add_job):
    job = add_job(name="bench")
    asked = user.get("/api/v1/board/compare", params={"a": job.id, "b": "nobody"})
    assert asked.status_code == 404
    assert asked.json()["error"]["code"] == "compare/no-scores"
    chinese = user.get(
        "/api/v1/board/compare", params={"a": job.id, "b": "x"}, headers={"Accept-Language": "zh"}
    )
    assert "既不是" in chinese.json()["error"]["message"]
    for params in ({"a": job.id}, {"a": "x", "b": "y", "flips": -1}):
        assert user.get("/api/v1/board/compare", params=params).status_code == 400


def test_items_of_a_comparison_are_asked_in_pages(user, add_job):
    job = add_job(name="bench")
    asked = {"a": job.id, "b": "nobody", "benchmark": "sums"}
    refused = user.get("/api/v1/board/compare/items", params=asked)
    assert refused.json()["error"]["code"] == "compare/no-scores"
    for odd in ({"show": "odd"}, {"limit": 0}, {"limit": 201}, {"offset": -1}):
        assert user.get("/api/v1/board/compare/items", params=asked | odd).status_code == 400


def test_a_comparison_needs_a_token(anybody):
    assert anybody.get("/api/v1/board/compare", params={"a": "a", "b": "b"}).status_code == 401
