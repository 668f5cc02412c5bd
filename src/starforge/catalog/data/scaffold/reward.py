"""The reward: how good each answer is. The same file works with every framework.

`sf` passes lists of the same length. `prompts` are as in the data; `completions` are texts.
A column of the data arrives when its name stands in the signature. Return one number for
each answer, or one dictionary of named parts (their sum is the reward).
"""

import re

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def reward(prompts, completions, answer):
    """Give 1 when the last number is the right one; a number at all is worth a little."""
    return [score(text, right) for text, right in zip(completions, answer, strict=True)]


def score(text: str, right: str) -> dict[str, float]:
    """Judge one answer."""
    numbers = NUMBER.findall(text)
    correct = bool(numbers) and float(numbers[-1]) == float(right)
    return {"correct": float(correct), "format": 0.1 if numbers else 0.0}
