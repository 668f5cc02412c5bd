"""The reward: whether an answer equals the right one mathematically.

The same file works with every framework. `answer` is a column of the data; `\\frac{1}{2}`,
`0.5` and `1/2` are equal.
"""

from starforge.rewards import matches, math_equal, weighted

TIME_LIMIT = 120  # seconds for one call


def reward(prompts, completions, answer):
    """Give 1 for the right answer, and a little for writing it in a box."""
    return weighted(
        correct=(math_equal(completions, answer), 1.0),
        boxed=(matches(completions, r"\\boxed\{.+\}"), 0.1),
    )
