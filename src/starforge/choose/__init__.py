"""Choosing a method: what kind of data it is, what fits it, how two methods differ."""
