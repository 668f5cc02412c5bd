"""verl: reinforcement learning, distillation and supervised fine-tuning in the verl runtime."""

from starforge.frameworks.base import Framework
from starforge.frameworks.verl.plan import Verl

FRAMEWORK: Framework = Verl()

__all__ = ["FRAMEWORK", "Verl"]
