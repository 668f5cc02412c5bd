"""The reward: thinking between tags, then the answer between tags, and the right number in it.

The same file works with every framework. `answer` is a column of the data.
"""

from starforge.rewards import formats, numeric, weighted


def reward(prompts, completions, answer):
    """Judge `<think>...</think> <answer>...</answer>`: its form, and the number in the answer."""
    return weighted(
        correct=(numeric(completions, answer), 1.0),
        format=(formats(completions, ("think", "answer")), 0.5),
    )
