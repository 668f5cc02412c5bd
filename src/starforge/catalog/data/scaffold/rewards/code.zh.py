"""奖励：回答中的 Python 代码通过了多少测试。

同一个文件可用于所有框架。`tests` 是数据中的一列：带断言的代码行，
或 `{"input": ..., "output": ...}`（用于读入并打印的程序）。
代码在单独的进程里运行：没有网络，不能再开进程，只能写一个用完即删的文件夹。
"""

from starforge.rewards import code, matches, weighted

TIME_LIMIT = 300  # 每次调用的秒数上限


def reward(prompts, completions, tests):
    """得分为通过的测试所占比例；写成代码块略有加分。"""
    return weighted(
        passed=(code(completions, tests, partial=True), 1.0),
        format=(matches(completions, r"```python\n.*```"), 0.1),
    )
