"""TRL: methods that run in the pinned TRL runtime through a driver of ours."""

from starforge.frameworks.base import Framework
from starforge.frameworks.trl.plan import Trl

FRAMEWORK: Framework = Trl()

__all__ = ["FRAMEWORK", "Trl"]
