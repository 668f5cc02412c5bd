"""奖励：思考和答案各写在标签里，且答案中的数正确。

同一个文件可用于所有框架。`answer` 是数据中的一列。
"""

from starforge.rewards import formats, numeric, weighted


def reward(prompts, completions, answer):
    """检查 `<think>...</think> <answer>...</answer>`：格式，以及答案中的数。"""
    return weighted(
        correct=(numeric(completions, answer), 1.0),
        format=(formats(completions, ("think", "answer")), 0.5),
    )
