"""Evalkit: benchmarks on a model, run by lm-eval in its pinned runtime."""

from starforge.frameworks.base import Framework
from starforge.frameworks.evalkit.plan import Evalkit

FRAMEWORK: Framework = Evalkit()

__all__ = ["FRAMEWORK", "Evalkit"]
