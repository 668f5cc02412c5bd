"""What the server says of runtimes before and after they are built."""

import json

from starforge import runtimes

API = "/api/v1"


def listing(user):
    answer = user.get(f"{API}/runtimes")
    assert answer.status_code == 200, answer.text
    return {(one["name"], one["device"], one["digest"][:12]): one for one in answer.json()}


def test_each_says_what_it_is_and_what_building_it_takes(user):
    found = listing(user)
    for spec in runtimes.specs():
        one = found[(spec.name, spec.device, spec.digest[:12])]
        assert one["title"] == {"en": spec.title.en, "zh": spec.title.zh}
        assert (one["estimate"], one["download"]) == (spec.size, spec.download)
        assert one["current"] is True and one["size"] is None


def test_a_build_of_an_older_lock_is_told_apart(user, core):
    digest = "0" * 64
    folder = core.settings.home / "runtimes" / "trl-cpu-000000000000"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").write_text("")
    receipt = {"name": "trl", "device": "cpu", "digest": digest, "python": "3.11.7",
               "built_at": 1.0, "size": 7}  # fmt: skip
    (folder / "runtime.json").write_text(json.dumps(receipt))
    old = listing(user)[("trl", "cpu", digest[:12])]
    assert (old["current"], old["title"], old["size"]) == (False, None, 7)
    assert old["installed"] is True
