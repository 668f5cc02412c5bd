import json

import pytest

from starforge.errors import StarForgeError
from starforge.evals import bundled, find_pack, list_packs, load_pack, pack_names

GOOD = {
    "name": "mine", "version": 1, "title": {"en": "Mine", "zh": "我的"},
    "description": {"en": "d", "zh": "说明"}, "licence": "MIT",
    "provenance": {"en": "me", "zh": "我"}, "primary": {"metric": "acc"},
    "data": {"test": "rows.jsonl"}, "task": {"output_type": "multiple_choice"},
}  # fmt: skip


def write(root, **changes):
    folder = root / "benchmarks" / "mine"
    folder.mkdir(parents=True, exist_ok=True)
    raw = {k: v for k, v in (GOOD | changes).items() if v is not None}
    (folder / "pack.yaml").write_text(json.dumps(raw), "utf-8")
    return folder


def test_bundled_packs_are_complete():
    packs = bundled()
    assert {"basics", "arithmetic", "gsm8k", "mmlu", "ceval", "ifeval", "math",
            "humaneval"} <= packs.keys()  # fmt: skip
    for pack in packs.values():
        assert pack.source == "bundled" and len(pack.digest) == 64
        for text in (pack.title, pack.description, pack.provenance):
            assert text.en and text.zh
        assert pack.hub or pack.data


def test_basics_has_sixty_questions_with_four_choices_and_spread_answers():
    pack = find_pack("basics")
    rows = [json.loads(line) for line in pack.data_file.read_text("utf-8").splitlines()]
    assert len(rows) == pack.items == 60
    assert len({row["question"] for row in rows}) == len({row["id"] for row in rows}) == 60
    for row in rows:
        assert len(set(row["choices"])) == 4 and 0 <= row["answer"] < 4
    assert max(sum(row["answer"] == i for row in rows) for i in range(4)) <= 20


def test_own_pack_is_found_and_wins_over_a_bundled_one(tmp_path):
    write(tmp_path)
    folder = tmp_path / "benchmarks" / "basics"
    folder.mkdir()
    (folder / "pack.yaml").write_text(json.dumps(GOOD | {"name": "basics"}), "utf-8")
    assert {"mine", "gsm8k"} <= set(pack_names([tmp_path]))
    assert find_pack("basics", [tmp_path]).source == "lab"
    assert find_pack("basics").source == "bundled"
    mine = next(pack for pack in list_packs([tmp_path]) if pack.name == "mine")
    assert mine.version == "1" and mine.data_file == tmp_path / "benchmarks" / "mine" / "rows.jsonl"


def test_digest_follows_how_it_is_asked_but_not_how_it_is_described(tmp_path):
    first = load_pack(write(tmp_path)).digest
    assert load_pack(write(tmp_path, description={"en": "x", "zh": "y"})).digest == first
    other = {"output_type": "multiple_choice", "doc_to_text": "{{q}}"}
    assert load_pack(write(tmp_path, task=other)).digest != first
    assert load_pack(write(tmp_path, primary={"metric": "acc_norm"})).digest != first


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"name": "other"}, "must be equal"),
        ({"primary": None}, "primary"),
        ({"titel": "x"}, "titel"),
        ({"task": None, "data": None}, "give `task`"),
        ({"task": None, "hub": {"task": "t", "dataset": "d"}}, "`data` needs a `task`"),
        ({"task": {"dataset_path": "json"}}, "dataset_path"),
        ({"data": {"test": "../rows.jsonl"}}, "must lie in the pack's folder"),
        ({"digest": "abc"}, "unknown key `digest`"),
        ({"title": "plain"}, "title"),
    ],
)
def test_what_is_wrong_with_a_pack_is_said_with_its_file(tmp_path, changes, part):
    folder = write(tmp_path, **changes)
    with pytest.raises(StarForgeError) as caught:
        load_pack(folder)
    assert caught.value.code == "eval/broken-pack"
    text = caught.value.render("en")
    assert part in text and str(folder / "pack.yaml") in text
    assert caught.value.message.zh != caught.value.message.en


@pytest.mark.parametrize("content", [b"a: [", b"- 1", b"\xff\xfe", b""])
def test_files_that_are_no_yaml_mapping(tmp_path, content):
    folder = write(tmp_path)
    (folder / "pack.yaml").write_bytes(content)
    with pytest.raises(StarForgeError, match=r"pack\.yaml"):
        load_pack(folder)


def test_unknown_name_offers_the_nearest(tmp_path):
    with pytest.raises(StarForgeError) as caught:
        find_pack("gms8k", [tmp_path])
    assert "did you mean `gsm8k`" in caught.value.render("en")
    assert "gsm8k" in caught.value.render("zh")
