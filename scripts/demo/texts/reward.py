"""What an answer is worth: to `Calculate 6 - 7 - 9 =`, best are `6 - 7 = -1` and `-1 - 9 = -10`."""

from starforge.rewards import numeric, weighted


def worked(question):
    """Work the question out, one operation a line."""
    _, first, *rest = question.rstrip(" =").split()
    total, lines = int(first), []
    for sign, number in zip(rest[::2], rest[1::2], strict=True):
        result = total + int(sign + number)
        lines.append(f"{total} {sign} {number} = {result}")
        total = result
    return lines


def share(question, completion):
    """The share of the lines that are as they should be."""
    wanted, given = worked(question), completion.strip().splitlines()
    return sum(a == b for a, b in zip(wanted, given, strict=False)) / len(wanted)


def reward(prompts, completions, answer):
    """Return 1 for the right result, and up to 0.5 for right steps on the way."""
    steps = [share(*pair) for pair in zip(prompts, completions, strict=True)]
    return weighted(correct=(numeric(completions, answer), 1.0), steps=(steps, 0.5))
