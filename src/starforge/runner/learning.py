"""Does the model still learn something, and does it stay near where it began?

Three signs of reinforcement learning gone wrong, read from the metrics of the job:

- no learning signal: all rewards of a comparison are equal, so every advantage is 0, and
  the gradient is 0 as well;
- the distance to the reference model (KL) explodes;
- the completions grow far beyond their early length.
"""

from __future__ import annotations

import json
import math
from collections import deque
from dataclasses import dataclass
from statistics import median

from starforge.runner import texts
from starforge.runner.feed import MetricFeed, whole_lines
from starforge.runner.launch import PolicySpec
from starforge.runner.tail import StreamFile, Tail
from starforge.runner.texts import Said

# How far the rewards (or what is made of them) of one update lie apart. The spread within
# groups says most: where it is known the spread of all of them does not count.
GROUP_SPREAD = "train/reward_group_std"
SPREAD = "train/reward_std"
EXTREMES = (
    ("critic/advantages/max", "critic/advantages/min"),  # verl
    ("train/advantages/max", "train/advantages/min"),  # NeMo-RL
)
GRADIENT = "train/grad_norm"
KL = "train/kl"
LENGTH = "rollout/length_mean"

ZERO = 1e-9
FEW = 3  # points that a statement needs at least
BASE = 10  # points that say where a metric began
RECENT = 3  # points that say where it is
KL_FLOOR = 0.05  # nats; ten times next to nothing is still nothing


@dataclass(frozen=True)
class Alert:
    """Something a person should look at; ``stop`` says that the job is ended for it."""

    code: str
    step: int
    said: Said
    stop: bool = False


class _Zeros:
    """The unbroken row of zeros at the end of a metric."""

    def __init__(self) -> None:
        self._since = self._last = 0
        self._points = 0

    def see(self, step: int, value: float) -> None:
        """Take the next point; NaN is no zero."""
        if not abs(value) <= ZERO:
            self._points = 0
            return
        if self._points == 0:
            self._since = step
        self._points += 1
        self._last = step

    @property
    def steps(self) -> int:
        """How many steps the zeros span; 0 while they are too few to say."""
        return self._last - self._since + 1 if self._points >= FEW else 0

    @property
    def last(self) -> int:
        """The step of the last zero."""
        return self._last


class _Growth:
    """How many times larger than in the beginning a metric is."""

    def __init__(self, floor: float) -> None:
        self._floor = floor
        self._first: list[float] = []
        self._recent: deque[float] = deque(maxlen=RECENT)

    def see(self, value: float) -> tuple[float, float] | None:
        """Take the next point; return ``(early median, recent median)`` once there are both."""
        if math.isnan(value):
            return None
        if len(self._first) < BASE:
            self._first.append(value)
            return None
        self._recent.append(value)
        if len(self._recent) < RECENT:
            return None
        return max(median(self._first), self._floor), median(self._recent)


class LearningWatch:
    """Reads the metrics of a job and says, each once, what looks wrong with its learning.

    Without a learning signal for ``no_signal`` steps there is an alert; after twice as many
    the job is ended, if its gradient is known to be 0, too.
    """

    def __init__(self, tail: Tail, policy: PolicySpec) -> None:
        self._feed = MetricFeed(tail, self._skip)
        self._patience = policy.no_signal
        self._factors = {KL: policy.kl_explosion, LENGTH: policy.length_explosion}
        self._zeros: dict[str, _Zeros] = {}
        self._growth = {KL: _Growth(KL_FLOOR), LENGTH: _Growth(1.0)}
        self._upper: dict[tuple[str, int], float] = {}  # that wait for their counterpart
        self._said: set[str] = set()
        self._words: dict[str, list[bytes]] = {}  # of each file: the names that count

    def look(self) -> list[Alert]:
        """Read what is new and return what is to be said of it."""
        if not self._patience and not any(self._factors.values()):
            return []
        found: list[Alert] = []
        for file, series in self._feed.new():
            for name, columns in series.items():
                # In the order of steps: one piece of a file may hold many of them.
                for step, value in zip(columns.steps, columns.values, strict=True):
                    self._see(name, file, step, value, found)
            self._check_signal(found)
        return found

    def _see(
        self, name: str, file: StreamFile, step: int, value: float, found: list[Alert]
    ) -> None:
        canonical = file.names.get(name, name)
        if canonical in (GROUP_SPREAD, SPREAD, GRADIENT):
            self._zeros.setdefault(canonical, _Zeros()).see(step, value)
        elif canonical in self._growth:
            self._check_growth(canonical, step, value, found)
        else:
            self._see_extreme(name, step, value)

    def _see_extreme(self, name: str, step: int, value: float) -> None:
        for upper, lower in EXTREMES:
            if name == upper:
                self._upper[upper, step] = value
            elif name == lower and (upper, step) in self._upper:
                spread = self._upper.pop((upper, step)) - value
                self._zeros.setdefault(SPREAD, _Zeros()).see(step, spread)

    def _check_growth(self, name: str, step: int, value: float, found: list[Alert]) -> None:
        factor = self._factors[name]
        medians = self._growth[name].see(value)
        if not factor or medians is None or name in self._said:
            return
        early, recent = medians
        if recent >= factor * early:
            self._said.add(name)
            code = "kl_explosion" if name == KL else "length_explosion"
            found.append(Alert(code, step, texts.grew(name, early, recent, step)))

    def _check_signal(self, found: list[Alert]) -> None:
        spread = self._zeros.get(GROUP_SPREAD) or self._zeros.get(SPREAD)
        if not self._patience or spread is None or spread.steps < self._patience:
            return
        gradient = self._zeros.get(GRADIENT)
        if gradient is not None and gradient.steps < self._patience:
            return
        if "no_signal" not in self._said:
            self._said.add("no_signal")
            said = texts.no_signal(spread.steps, gradient is not None)
            found.append(Alert("no_signal", spread.last, said))
        if gradient is not None and min(spread.steps, gradient.steps) >= 2 * self._patience:
            said = texts.no_signal(spread.steps, True).also(texts.NO_SIGNAL_STOPPED)
            found.append(Alert("no_signal", spread.last, said, stop=True))

    def _skip(self, file: StreamFile, data: bytes, final: bool) -> int:
        """Leave out pieces of a report that name nothing of interest."""
        words = self._words.get(file.path)
        if words is None:
            native = {name for name, canonical in file.names.items() if canonical in _NAMES}
            words = [json.dumps(name).encode() for name in _NAMES | native]
            self._words[file.path] = words
        return 0 if any(word in data for word in words) else whole_lines(data, final)


_NAMES = {GROUP_SPREAD, SPREAD, GRADIENT, KL, LENGTH, *EXTREMES[0], *EXTREMES[1]}
