#!/usr/bin/env bash
# 任务会在实验目录中运行本文件。启动训练需要做什么都可以写在这里：激活环境、用 torchrun
# 启动、依次执行多个步骤。
# `python` 就是参数 `python` 指定的解释器（留空时用 StarForge 自己的解释器）。
# 本脚本的退出码决定任务是否成功。
set -euo pipefail

exec python train.py "$@"
