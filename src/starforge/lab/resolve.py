"""Join an experiment with its recipe and contract into one resolved config."""

from __future__ import annotations

from starforge.lab.resolved import USER_LAYERS, Layer, Origin, ResolvedConfig

__all__ = ["USER_LAYERS", "Layer", "Origin", "ResolvedConfig"]
