"""StarForge: an open, self-hosted platform for post-training language models."""

# Kept trivial on purpose: the runner and `starforge.report` import this package inside
# foreign environments that have only the standard library.
__version__ = "0.1.0"
