"""Frameworks: how an experiment becomes a launch plan. One module or package a framework."""

from starforge.frameworks.base import Framework, get

__all__ = ["Framework", "get"]
