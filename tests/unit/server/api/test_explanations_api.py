"""What a code of a finding means."""

from starforge.findings.declared import every_rule

URL = "/api/v1/findings"


def test_every_code_is_explained_in_both_languages(user):
    for code in every_rule():
        english = user.get(f"{URL}/{code}").json()
        chinese = user.get(f"{URL}/{code}", headers={"Accept-Language": "zh"}).json()
        assert english["code"] == code
        assert english["why"] and english["why"] != chinese["why"]
        assert english["good"] == chinese["good"]


def test_an_unknown_code_is_refused(user, anybody):
    answer = user.get(f"{URL}/config/nonsense")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "explain/unknown-code"
    assert anybody.get(f"{URL}/config/pinned").status_code == 401
