"""Ready-made rewards for a ``reward.py``: the same in every framework.

Each takes the lists that ``reward`` is given and returns one number for each completion;
:func:`weighted` joins several. They stand in every job's library (``layout.LIB_FILES``), so
they need the standard library only; what needs a package of the runtime imports it when it is
called.
"""

from starforge.rewards.answers import final_answer
from starforge.rewards.code import code
from starforge.rewards.compose import weighted
from starforge.rewards.exact import exact
from starforge.rewards.formats import formats, matches
from starforge.rewards.gym import gym
from starforge.rewards.judge import JudgeError, judge
from starforge.rewards.length import length, overlong, tokens
from starforge.rewards.math_equal import math_equal
from starforge.rewards.numeric import numeric

__all__ = [
    "JudgeError",
    "code",
    "exact",
    "final_answer",
    "formats",
    "gym",
    "judge",
    "length",
    "matches",
    "math_equal",
    "numeric",
    "overlong",
    "tokens",
    "weighted",
]
