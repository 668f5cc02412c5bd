"""Items made on the spot. The same seed makes the same items, on every machine.

A generator is a function ``(random, **options) -> rows without end``; :func:`generate` takes
the first distinct ones. ``random.Random`` keeps its sequence between Python versions for the
methods used here (``randint``, ``choice``).
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from starforge.errors import StarForgeError
from starforge.evals.pack import Generated
from starforge.i18n import Text

Row = dict[str, Any]
Generator = Callable[..., Iterator[Row]]

_PATIENCE = 200  # draws in a row without a new item before giving up


def arithmetic(
    rng: random.Random, *, terms: int = 2, highest: int = 99, operators: str = "+-"
) -> Iterator[Row]:
    """Yield sums and differences: ``{"question": "12 + 7 - 30", "answer": "-11"}``."""
    while True:
        numbers = [rng.randint(0, highest) for _ in range(terms)]
        total, words = numbers[0], [str(numbers[0])]
        for number in numbers[1:]:
            operator = rng.choice(operators)
            total = total + number if operator == "+" else total - number
            words += [operator, str(number)]
        yield {"question": " ".join(words), "answer": str(total)}


def sorting(rng: random.Random, *, count: int = 5, highest: int = 99) -> Iterator[Row]:
    """Yield lists to sort: ``{"question": "31, 4, 15", "answer": "4, 15, 31"}``."""
    while True:
        numbers = [rng.randint(0, highest) for _ in range(count)]
        yield {
            "question": ", ".join(map(str, numbers)),
            "answer": ", ".join(map(str, sorted(numbers))),
        }


GENERATORS: dict[str, Generator] = {"arithmetic": arithmetic, "sorting": sorting}


def generate(spec: Generated) -> list[Row]:
    """Return ``spec.items`` distinct rows; raises :class:`StarForgeError` when it can't."""
    generator = GENERATORS.get(spec.generator)
    if generator is None:
        known = ", ".join(sorted(GENERATORS))
        raise StarForgeError(
            "eval/unknown-generator",
            Text(f"there is no generator `{spec.generator}`",
                 f"没有名为 `{spec.generator}` 的生成器"),
            Text(f"known generators: {known}", f"已有的生成器：{known}"),
        )  # fmt: skip
    try:
        source = generator(random.Random(spec.seed), **spec.options)  # noqa: S311 - not secret
        return _distinct(source, spec)
    except (TypeError, ValueError, IndexError) as error:
        raise StarForgeError(
            "eval/generator-options",
            Text(f"generator `{spec.generator}` can't work with its options: {error}",
                 f"生成器 `{spec.generator}` 的选项不可用：{error}"),
        ) from error  # fmt: skip


def _distinct(source: Iterator[Row], spec: Generated) -> list[Row]:
    rows: dict[str, Row] = {}
    fruitless = 0
    while len(rows) < spec.items:
        row = next(source)
        key = str(row["question"])
        fruitless = fruitless + 1 if key in rows else 0
        if fruitless > _PATIENCE:
            raise ValueError(f"only {len(rows)} different items, {spec.items} are wanted")
        rows.setdefault(key, row)
    return list(rows.values())


def as_lines(rows: list[Row]) -> str:
    """Return rows as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
