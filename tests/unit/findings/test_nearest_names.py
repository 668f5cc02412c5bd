import pytest

from starforge.findings import nearest

KEYS = [
    "learning_rate", "max_length", "num_train_epochs", "eval_strategy", "save_steps",
    "weight_decay", "warmup_steps", "actor.optim.lr", "gradient_accumulation_steps",
]  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("learning_rat", "learning_rate"),
        ("LearningRate", "learning_rate"),
        ("max_seq_length", "max_length"),
        ("num-epochs", "num_train_epochs"),
        ("evaluation_strategy", "eval_strategy"),
        ("warmup", "warmup_steps"),
        ("wd", "weight_decay"),
        ("optim.lr", "actor.optim.lr"),
        ("gradient_acumulation_steps", "gradient_accumulation_steps"),
    ],
)
def test_finds_what_was_meant(wrong, right):
    assert nearest(wrong, KEYS)[0] == right


@pytest.mark.parametrize("wrong", ["", "zebra", "x", "packing"])
def test_says_nothing_rather_than_guess(wrong):
    assert nearest(wrong, KEYS) == []


def test_gives_at_most_count():
    names = [f"value_{number}" for number in range(9)]
    assert len(nearest("value", names, count=2)) == 2
