"""Print sums of reasoning-gym's chain_sum with results and worked answers, as JSON.

Run with reasoning-gym importable: ``gym_rows.py '{"train": 1200, "test": 400}'``. No
question stands in two splits.
"""

from __future__ import annotations

import json
import sys

import reasoning_gym

SEED = 7
OPTIONS = {"min_terms": 3, "max_terms": 4, "min_digits": 1, "max_digits": 1}


def worked(expression: str) -> str:
    """Work out ``6 - 7 - 9`` one operation a line: ``6 - 7 = -1``, ``-1 - 9 = -10``.

    It begins with a line break, as what follows ``Calculate 6 - 7 - 9 =``.
    """
    first, *rest = expression.split()
    total, lines = int(first), [""]
    for operator, number in zip(rest[::2], rest[1::2], strict=True):
        result = total + int(operator + number)
        lines.append(f"{total} {operator} {number} = {result}")
        total = result
    return "\n".join(lines)


def main() -> None:
    """Make the rows of every split."""
    sizes: dict[str, int] = json.loads(sys.argv[1])
    total = sum(sizes.values())
    source = reasoning_gym.create_dataset("chain_sum", size=4 * total, seed=SEED, **OPTIONS)
    distinct: dict[str, dict[str, str]] = {}
    for item in source:
        expression = item["metadata"]["expression"]
        steps = worked(expression)
        # The gym's own scorer vouches for what is taught.
        if source.score_answer(steps.rpartition(" ")[2], item) != 1.0:
            sys.exit(f"wrong steps for {expression}: {steps}")
        row = {"question": f"Calculate {expression} =", "answer": item["answer"], "worked": steps}
        distinct.setdefault(expression, row)
    rows = iter(distinct.values())
    made = {name: [next(rows) for _ in range(size)] for name, size in sizes.items()}
    for row in made.get("test", []):
        del row["worked"]
    json.dump(made, sys.stdout)


if __name__ == "__main__":
    main()
