"""奖励：回答中最后一个数是否正确。

同一个文件可用于所有框架。`answer` 是数据中的一列；`1,234`、`3/4`、`50%` 都会当作数来读。
"""

from starforge.rewards import matches, numeric, weighted


def reward(prompts, completions, answer):
    """数字正确得 1 分；写出了数字也略有加分。"""
    return weighted(
        correct=(numeric(completions, answer), 1.0),
        format=(matches(completions, r"\d"), 0.1),
    )
