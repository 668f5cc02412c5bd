"""What the modules of all frameworks share: settings to replace, with what that leaves open."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from starforge.i18n import Text
from starforge.lab.context import PrepareContext

COMPLETION = 16  # tokens of a sampled answer; one token would be no sequence
STEPS = 2
MINIS = 2  # mini-batches of a batch, as long as theirs are two or more


class Lengths(msgspec.Struct, frozen=True, kw_only=True):
    """How long sequences may be, in tokens.

    ``exact``: the stand-in has the tokenizer of the real model, so that the experiment's own
    limits mean the same; otherwise they are replaced by ``tokens``.
    """

    tokens: int
    exact: bool = True


class Shrunk(msgspec.Struct, frozen=True, kw_only=True):
    """How an experiment is made small.

    ``sets``: values by published name or native key. ``rows`` is how many rows of each split
    are used (``None``: those of the experiment, or none). ``mode``: ``train`` takes optimizer
    steps, ``score`` runs a benchmark, ``script`` starts the user's own script, ``look``
    starts nothing. ``steps`` are the steps that are to be seen. ``tokens`` is the limit of a
    row (of its prompt where answers are sampled), when it is another than the experiment's or
    when longer ones are dropped. ``open`` says what stays unproved.
    """

    sets: dict[str, Any] = {}
    rows: int | None = None
    steps: int = STEPS
    mode: Literal["train", "score", "script", "look"] = "train"
    tokens: int | None = None
    open: list[Text] = []


class Sizes:
    """Collects settings; one that the experiment has already is left out."""

    def __init__(self, context: PrepareContext, lengths: Lengths) -> None:
        self.context = context
        self.lengths = lengths
        self.sets: dict[str, Any] = {}
        self.open: list[Text] = []
        self.tokens: int | None = None

    @property
    def algorithm(self) -> str:
        """The algorithm of the method: ``sft``, ``grpo``, ..."""
        return self.context.recipe.algorithm

    @property
    def validates(self) -> bool:
        """Whether the experiment names validation data."""
        return "validation" in self.context.data

    def has(self, name: str) -> bool:
        """Say whether the method has this parameter or native key, and does not pin it."""
        path = self._path(name)
        pinned = {pin.path for pin in self.context.recipe.pins}
        return path in self.context.contract_config.keys and path not in pinned

    def get(self, name: str) -> Any:
        """Return the value that holds so far."""
        return self.sets.get(name, self.context.config.get(self._path(name)))

    def count(self, name: str, default: int = 1) -> int:
        """Return a value that is a positive count, else ``default``."""
        value = self.get(name)
        return value if isinstance(value, int) and value > 0 else default

    def set(self, name: str, value: Any) -> None:
        """Replace a value, if the method has it and it is another."""
        if self.has(name) and self.get(name) != value:
            self.sets[name] = value

    def at_most(self, name: str, most: int) -> None:
        """Lower a count; one that is not set stays so."""
        value = self.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value > most:
            self.set(name, most)

    def off(self, name: str, what: Text, to: Any = False) -> None:
        """Switch off what does not work here, and say so."""
        if self.has(name) and self.get(name) not in (to, None):
            self.set(name, to)
            self.open.append(what)

    def length(self, name: str, less: int = 0) -> None:
        """Limit the tokens of a row (or of its prompt), leaving room for ``less`` of them."""
        if not self.has(name):
            return
        most = self.lengths.tokens - less
        own = self.get(name)
        fits = isinstance(own, int) and 0 < own <= most
        if self.lengths.exact and fits:
            return
        self.set(name, most)
        self.tokens = min(self.tokens or most, most)

    def ratio(self, whole: int, part: int, most: int = MINIS) -> int:
        """Return how many parts a whole has, at most ``most``, at least 1."""
        return max(1, min(most, whole // max(1, part)))

    def done(self, **more: Any) -> Shrunk:
        """Return what was collected."""
        return Shrunk(sets=self.sets, open=self.open, tokens=self.tokens, **more)

    def _path(self, name: str) -> str:
        parameter = self.context.recipe.parameter(name)
        return parameter.path if parameter is not None else name
