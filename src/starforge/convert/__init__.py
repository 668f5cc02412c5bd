"""Experiments from launches of other tools (``sf import``), and for other stacks (``sf port``)."""
