"""The reward: what a language model thinks of an answer, by the rubric in rubric.md.

The same file works with every framework. The judge is any server that speaks OpenAI's chat
completions. Set STARFORGE_JUDGE_URL (up to /v1), STARFORGE_JUDGE_MODEL and, if it needs one,
STARFORGE_JUDGE_KEY where the StarForge server starts. Scores are kept on disk.
"""

from pathlib import Path

from starforge.rewards import judge

TIME_LIMIT = 600  # seconds for one call
RUBRIC = Path(__file__).with_name("rubric.md")


def reward(prompts, completions, answer=None):
    """Give the judge's score, from 0 to 1; `answer`, where the data have it, is for comparison."""
    return judge(prompts, completions, RUBRIC, reference=answer)
