"""Custom: the user's own script as a job."""

from starforge.frameworks.base import Framework
from starforge.frameworks.custom.plan import Custom

FRAMEWORK: Framework = Custom()

__all__ = ["FRAMEWORK", "Custom"]
