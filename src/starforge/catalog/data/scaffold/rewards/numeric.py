"""The reward: whether the last number of an answer is the right one.

The same file works with every framework. `answer` is a column of the data; `1,234`, `3/4` and
`50%` are read as numbers.
"""

from starforge.rewards import matches, numeric, weighted


def reward(prompts, completions, answer):
    """Give 1 for the right number, and a little for any number at all."""
    return weighted(
        correct=(numeric(completions, answer), 1.0),
        format=(matches(completions, r"\d"), 0.1),
    )
