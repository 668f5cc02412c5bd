"""Why parts of a launch are not needed in an experiment."""

from __future__ import annotations

from starforge.i18n import Text

OUTPUT = Text("every job has a folder of its own for what it writes",
              "每个任务都有自己的输出目录")  # fmt: skip
LOGGING = Text("StarForge reads curves and samples itself", "曲线和样例由 StarForge 自行读取")
RESUME = Text("`sf job resume` does this", "由 `sf job resume` 完成")
DEVICES = Text("it follows from `resources`", "由 `resources` 决定")
NAMES = Text("a job is named after its experiment", "任务以实验命名")
COLUMNS = Text("the columns have fixed names here", "这里的列名是固定的")
LAUNCHER = Text("StarForge launches the processes itself", "进程由 StarForge 启动")
HYDRA = Text("it only steers where Hydra writes its own files", "它只决定 Hydra 自己的文件写在哪里")
ONE_MACHINE = Text("one job runs on one machine", "一个任务只在一台机器上运行")
SPLIT = Text("a JSON Lines file is one split; choose the rows in the file",
             "一个 JSON Lines 文件就是一个划分，请直接在文件里挑选数据")  # fmt: skip
