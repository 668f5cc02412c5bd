"""奖励：回答在数学上是否等于正确答案。

同一个文件可用于所有框架。`answer` 是数据中的一列；`\\frac{1}{2}`、`0.5`、`1/2` 视为相等。
"""

from starforge.rewards import matches, math_equal, weighted

TIME_LIMIT = 120  # 每次调用的秒数上限


def reward(prompts, completions, answer):
    """答案正确得 1 分；写在 \\boxed{} 里略有加分。"""
    return weighted(
        correct=(math_equal(completions, answer), 1.0),
        boxed=(matches(completions, r"\\boxed\{.+\}"), 0.1),
    )
