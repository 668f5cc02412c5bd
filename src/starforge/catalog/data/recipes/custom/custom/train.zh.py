"""一个完整的自定义任务，只用标准库：用梯度下降拟合带噪声的直线。

把训练部分换成你自己的代码即可，关键在于用到 `report` 的那几行。
"""

import json
import os
import random
from pathlib import Path

from starforge import report

# 实验的 config.yaml，已包含 `--set` 的改动。
config = json.loads(Path(os.environ["STARFORGE_CONFIG"]).read_text(encoding="utf-8"))
steps = int(config.get("steps", 60))
learning_rate = float(config.get("learning_rate", 0.05))

output = Path(os.environ["STARFORGE_OUTPUT_DIR"])
checkpoint = output / "checkpoints" / "last.json"
checkpoint.parent.mkdir(parents=True, exist_ok=True)

# `sf job resume` 会带着 STARFORGE_RESUME=1 再次启动本脚本。
state = {"step": 0, "slope": 0.0, "offset": 0.0}
if os.environ.get("STARFORGE_RESUME") == "1" and checkpoint.exists():
    state = json.loads(checkpoint.read_text(encoding="utf-8"))
    print("从这一步继续：", state["step"])

random.seed(0)
points = [(x / 50, 3 * x / 50 + 2 + random.gauss(0, 0.1)) for x in range(100)]

report.init(config=config, total_steps=steps)
for step in range(state["step"] + 1, steps + 1):
    errors = [(x, state["slope"] * x + state["offset"] - y) for x, y in points]
    loss = sum(error * error for _, error in errors) / len(errors)
    state["slope"] -= learning_rate * sum(2 * e * x for x, e in errors) / len(errors)
    state["offset"] -= learning_rate * sum(2 * e for _, e in errors) / len(errors)
    state["step"] = step

    # 每步调用一次，名称和数值随意。它不会阻塞，也不会让训练出错。
    report.log({"loss": loss, "slope": state["slope"], "offset": state["offset"]}, step=step)

    if step % 10 == 0 or step == steps:
        fresh = checkpoint.with_suffix(".new")
        fresh.write_text(json.dumps(state), encoding="utf-8")
        fresh.replace(checkpoint)
        print(f"第 {step}/{steps} 步：损失 {loss:.4f}")

result = output / "line.json"
result.write_text(json.dumps(state), encoding="utf-8")
report.log_artifact(result, kind="file", name="line")
report.finish()
