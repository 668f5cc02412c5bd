"""NeMo-RL: methods that run in NVIDIA's image, or beside a checkout, on GPUs."""

from starforge.frameworks.base import Framework
from starforge.frameworks.nemo_rl.plan import NemoRl

FRAMEWORK: Framework = NemoRl()

__all__ = ["FRAMEWORK", "NemoRl"]
