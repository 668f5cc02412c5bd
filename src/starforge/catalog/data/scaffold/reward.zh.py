"""奖励函数：每个回答有多好。同一个文件可用于所有框架。

`sf` 传入等长的列表：`prompts` 与数据中的写法相同，`completions` 是文本。
签名里写了哪个列名，就会收到数据中的那一列。
每个回答返回一个数，或返回一个由各部分名称组成的字典（奖励为各部分之和）。
"""

import re

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def reward(prompts, completions, answer):
    """最后一个数字正确得 1 分；写出了数字也略有加分。"""
    return [score(text, right) for text, right in zip(completions, answer, strict=True)]


def score(text: str, right: str) -> dict[str, float]:
    """给一个回答打分。"""
    numbers = NUMBER.findall(text)
    correct = bool(numbers) and float(numbers[-1]) == float(right)
    return {"correct": float(correct), "format": 0.1 if numbers else 0.0}
