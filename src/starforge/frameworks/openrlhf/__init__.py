"""OpenRLHF: methods that run its own entry points, with DeepSpeed, Ray and vLLM."""

from starforge.frameworks.base import Framework
from starforge.frameworks.openrlhf.plan import OpenRlhf

FRAMEWORK: Framework = OpenRlhf()

__all__ = ["FRAMEWORK", "OpenRlhf"]
