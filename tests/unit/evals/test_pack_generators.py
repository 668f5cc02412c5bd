import hashlib

import pytest

from starforge.errors import StarForgeError
from starforge.evals import Generated, find_pack, generate
from starforge.evals.generators import as_lines


def test_same_seed_same_items_and_another_seed_others():
    spec = Generated("arithmetic", 5, 50)
    assert generate(spec) == generate(spec)
    assert generate(spec) != generate(Generated("arithmetic", 6, 50))


def test_items_of_the_bundled_pack_never_change():
    """Scores of the board rest on them: a change needs a new version of the pack."""
    pack = find_pack("arithmetic")
    lines = as_lines(generate(pack.data.test))
    assert lines.count("\n") == pack.items == 200
    assert hashlib.sha256(lines.encode()).hexdigest().startswith("9fba97d9a66b")


def test_answers_are_right_and_questions_distinct():
    rows = generate(Generated("arithmetic", 1, 300, {"terms": 4, "highest": 50}))
    assert len({row["question"] for row in rows}) == 300
    for row in rows:
        assert eval(row["question"]) == int(row["answer"])
    for row in generate(Generated("sorting", 1, 40, {"count": 6})):
        numbers = [int(n) for n in row["question"].split(", ")]
        assert row["answer"] == ", ".join(str(n) for n in sorted(numbers))


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        (Generated("arithmetics", 1, 5), "known generators: arithmetic"),
        (Generated("arithmetic", 1, 5, {"term": 3}), "term"),
        (Generated("arithmetic", 1, 5, {"highest": -4}), "can't work with its options"),
        (Generated("arithmetic", 1, 1000, {"highest": 3}), "different items"),
    ],
)
def test_impossible_specifications_are_clear_errors(spec, part):
    with pytest.raises(StarForgeError) as caught:
        generate(spec)
    assert part in caught.value.render("en")
