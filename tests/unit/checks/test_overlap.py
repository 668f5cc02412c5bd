"""Items of a benchmark in training rows."""

from starforge.checks.overlap import GRAM, Overlap

LONG = "Natalia sold clips to forty eight of her friends in April and half as many clips in May"
OTHER = "A robe takes two bolts of blue fiber and half that much white fiber so how many in total"


def seen(items, *rows):
    overlap = Overlap(items)
    for row in rows:
        overlap.add(row)
    return overlap.seen


def test_whole_questions_and_lines():
    items = [["What is 3 + 4?"], [LONG], ["什么是光合作用？"]]
    assert seen(items, {"prompt": "what is 3 + 4? "}) == {0}
    assert seen(items, {"prompt": f"Think.\n {LONG}\nAnswer:"}) == {1}
    assert seen(items, {"messages": [{"role": "user", "content": "什么是光合作用？"}]}) == {2}
    assert seen(items, {"messages": [{"role": "assistant", "content": LONG}]}) == set()
    assert seen(items, {"prompt": "What is 3 + 4? And 5?"}, {"prompt": ""}, {}) == set()


def test_thirteen_words_in_a_row():
    words = LONG.split()
    assert seen([[LONG], [OTHER]], {"text": f"Once: {' '.join(words[2 : 2 + GRAM])}!"}) == {0}
    assert seen([[LONG], [OTHER]], {"text": " ".join(words[2 : 1 + GRAM])}) == set()
    assert seen([[LONG]], {"text": LONG.replace(" ", ", ").upper()}) == {0}


def test_the_template_of_all_items_says_nothing():
    head = "Answer the following question step by step and end with the final number please: "
    items = [[f"{head}{LONG}"], [f"{head}{OTHER}"]]
    assert seen(items, {"prompt": f"{head}how tall is the tower of Pisa in metres?"}) == set()
    assert seen(items, {"prompt": f"{head}{OTHER}"}) == {1}


def test_chinese_characters_are_words():
    question = "小明有十二个苹果，他给了小红三个，又给了小刚四个，还剩几个？"
    assert seen([[question]], {"prompt": f"请回答：{question[:20]}"}) == {0}
    assert seen([[question]], {"prompt": question[:12]}) == set()


def test_an_item_that_stands_there_twice_is_seen_twice():
    assert seen([["Is it so, really?"], ["Is it so, really?"]], {"prompt": "Is it so, really?"}) \
        == {0, 1}  # fmt: skip
