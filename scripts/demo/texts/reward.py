"""What an answer is worth: for `6 - 7 - 9 =`, best is `-1 - 9 = -10`."""

import re

from starforge.rewards import numeric, weighted


def holds(step, answer):
    """Whether a step such as `-1 - 9` still comes to the answer."""
    numbers = re.findall(r"[+-]?\d+", step.replace(" ", ""))
    return bool(numbers) and sum(map(int, numbers)) == int(answer)


def share(completion, answer):
    """The share of the steps, between the signs of equality, that hold."""
    steps = completion.split("=")
    return sum(holds(step, answer) for step in steps) / len(steps)


def reward(prompts, completions, answer):
    """Return 1 for the right result, and up to 0.5 for steps that hold."""
    steps = [share(text, right) for text, right in zip(completions, answer, strict=True)]
    return weighted(correct=(numeric(completions, answer), 1.0), steps=(steps, 0.5))
