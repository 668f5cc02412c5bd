"""奖励：由一个语言模型按 rubric.md 中的标准给回答打分。

同一个文件可用于所有框架。评判模型可以是任何兼容 OpenAI chat completions 的服务。
请在启动 StarForge 服务的地方设置 STARFORGE_JUDGE_URL（到 /v1 为止）、STARFORGE_JUDGE_MODEL，
需要密钥时再设置 STARFORGE_JUDGE_KEY。得分会缓存在磁盘上。
"""

from pathlib import Path

from starforge.rewards import judge

TIME_LIMIT = 600  # 每次调用的秒数上限
RUBRIC = Path(__file__).with_name("rubric.md")


def reward(prompts, completions, answer=None):
    """得分由评判模型给出，从 0 到 1；数据中有 `answer` 时供它对照。"""
    return judge(prompts, completions, RUBRIC, reference=answer)
