"""What the runner says to people, in both languages."""

from __future__ import annotations

from typing import NamedTuple


class Said(NamedTuple):
    """One message in English and Simplified Chinese."""

    en: str
    zh: str

    def also(self, more: Said) -> Said:
        """Return this message followed by another."""
        return Said(f"{self.en} {more.en}", f"{self.zh}{more.zh}")


COMPLETED = Said("every process ended well", "所有进程均正常结束")
TAIL = Said(" Its last lines:", "最后的输出：")  # ends a first line; the lines follow
STOPPED = Said("stopped on request", "已按要求停止")
OUT_OF_MEMORY = Said(
    "This usually means that memory ran out: try a smaller batch or shorter sequences.",
    "这通常是内存不足所致：可以减小批大小或缩短序列。",
)


def exit_code(who: str, code: int, tail: str, reason: str = "") -> Said:
    """Say that a process ended with an exit code: its own reason, else its last lines."""
    if reason:
        return Said(f"{who}: {reason}", f"{who}：{reason}")
    said = Said(f"{who} ended with exit code {code}.", f"{who} 以退出码 {code} 结束。")
    if code == 128 + 9:
        said = said.also(OUT_OF_MEMORY)
    return _with_tail(said, tail)


def killed(who: str, number: int, name: str, tail: str) -> Said:
    """Say that a process was ended by a signal."""
    said = Said(f"{who} was killed by {name}.", f"{who} 被信号 {name} 终止。")
    if number == 9:
        said = said.also(OUT_OF_MEMORY)
    return _with_tail(said, tail)


def _with_tail(said: Said, tail: str) -> Said:
    if not tail:
        return said
    return Said(f"{said.en}{TAIL.en}\n{tail}", f"{said.zh}{TAIL.zh}\n{tail}")


def nan_loss(name: str, value: float, step: int) -> Said:
    """Say that a watched metric stopped being a finite number."""
    return Said(
        f"{name} became {value} at step {step}. Try a lower learning rate, a longer warm-up "
        "or gradient clipping, and look at the data around that step.",
        f"{name} 在第 {step} 步变为 {value}。"
        "可以降低学习率、延长预热或启用梯度裁剪，并检查该步附近的数据。",
    )


def time_limit(seconds: float) -> Said:
    """Say that the time is up."""
    return Said(
        f"the time limit of {seconds:g} s is over. Resume the job to go on from its last "
        "checkpoint, or raise policies.time_limit.",
        f"已达到 {seconds:g} 秒的时间上限。"
        "可以恢复任务，从最后的检查点继续，或调大 policies.time_limit。",
    )


def disk_full(free: int, reserve: int, where: str) -> Said:
    """Say that the job was stopped before its disk was full."""
    have, need = f"{free / 2**20:,.0f}", f"{reserve / 2**20:,.0f}"
    return Said(
        f"stopped before the disk was full: {have} MiB were left at {where}, and {need} MiB "
        "are kept free. Make room and resume the job, or change policies.disk_reserve.",
        f"磁盘将满，任务已提前停止：{where} 仅剩 {have} MiB，需保留 {need} MiB。"
        "请腾出空间后恢复任务，或修改 policies.disk_reserve。",
    )


def no_room(detail: str) -> Said:
    """Say that the job could not even begin on a full disk."""
    return Said(
        f"the disk is full: {detail}. Make room, then retry the job.",
        f"磁盘已满：{detail}。请腾出空间后重试。",
    )


def stalled(seconds: float, dumped: str | None) -> Said:
    """Say that nothing came from the job for too long."""
    said = Said(
        f"no progress for {seconds:.0f} s: no step, no metric, no line in a log.",
        f"已有 {seconds:.0f} 秒没有任何进展：没有新的步数、指标或日志。",
    )
    if dumped is None:
        return said
    return said.also(
        Said(
            f"The stacks of its processes are in {dumped}.",
            f"各进程的调用栈见 {dumped}。",
        )
    )


BUDGET = Said(
    "the time that policies.budget gives all attempts together is used up. Raise it and submit "
    "again, or take the last checkpoint as it is.",
    "policies.budget 给各次尝试的总时间已用完。可以调大后重新提交，或直接使用最后的检查点。",
)
NO_SIGNAL_STOPPED = Said(
    "The job was ended for it (policies.no_signal).",
    "任务因此结束（policies.no_signal）。",
)


def no_signal(steps: int, gradient: bool) -> Said:
    """Say that rewards, and the gradient if it is known, tell the model nothing."""
    also = Said(" and the gradient is 0", "，梯度也为 0") if gradient else Said("", "")
    return Said(
        f"nothing to learn from for {steps} steps: all completions of a prompt get the same "
        f"reward{also.en}. Look at the samples: if all fail, take easier rows, a better starting "
        "model or a reward with partial credit; if all succeed, take harder rows.",
        f"连续 {steps} 步没有学习信号：同一提示词的所有回答奖励都相同{also.zh}。"
        "请查看样例：若全部失败，换更容易的数据、更好的起点模型或给部分得分的奖励；"
        "若全部成功，换更难的数据。",
    )


def grew(name: str, early: float, recent: float, step: int) -> Said:
    """Say that a metric has become many times what it was in the beginning."""
    if name == "rollout/length_mean":
        advice = Said(
            "Long answers cost time and are often padding: look at the samples, and at a length "
            "penalty or a lower limit.",
            "过长的回答耗时且常是凑字数：请查看样例，并考虑长度惩罚或更低的长度上限。",
        )
    else:
        advice = Said(
            "The model runs away from its reference, a collapse often follows: lower the "
            "learning rate, raise the KL coefficient, or stop and take an earlier checkpoint.",
            "模型正在远离参考模型，往往随后崩溃：可以降低学习率、调大 KL 系数，"
            "或停止并使用较早的检查点。",
        )
    said = Said(
        f"{name} is {recent:.4g} at step {step}, {recent / early:.1f} times its early value "
        f"({early:.4g}).",
        f"第 {step} 步的 {name} 为 {recent:.4g}，是早期（{early:.4g}）的 {recent / early:.1f} 倍。",
    )
    return said.also(advice)


def machine(sign: str) -> Said:
    """Say that the machine failed, not the job."""
    return Said(
        f"the machine failed, not the job: {sign}.",
        f"是机器故障，而非任务本身的问题：{sign}。",
    )


def launch_failed(who: str, detail: str) -> Said:
    """Say that a process could not be started."""
    return Said(f"{who} could not be started: {detail}", f"无法启动 {who}：{detail}")


def bad_launch(path: str, detail: str) -> Said:
    """Say that ``launch.json`` is of no use."""
    return Said(f"{path} can't be used: {detail}", f"无法使用 {path}：{detail}")


def defect(detail: str) -> Said:
    """Say that the runner itself failed."""
    return Said(
        f"the runner failed: {detail}. The details are in runner.log.",
        f"运行器自身出错：{detail}。详情见 runner.log。",
    )
