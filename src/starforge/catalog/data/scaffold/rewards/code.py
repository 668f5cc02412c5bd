"""The reward: how many of its tests an answer's Python passes.

The same file works with every framework. `tests` is a column of the data: lines with
assertions, or `{"input": ..., "output": ...}` for programs that read and print. The code runs
in a process of its own: no network, no further processes, no files but in a folder that goes.
"""

from starforge.rewards import code, matches, weighted

TIME_LIMIT = 300  # seconds for one call


def reward(prompts, completions, tests):
    """Give the share of tests that pass, and a little for a block of code."""
    return weighted(
        passed=(code(completions, tests, partial=True), 1.0),
        format=(matches(completions, r"```python\n.*```"), 0.1),
    )
