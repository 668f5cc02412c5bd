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
STOPPED = Said("stopped on request", "已按要求停止")
OUT_OF_MEMORY = Said(
    "This usually means that memory ran out: try a smaller batch or shorter sequences.",
    "这通常是内存不足所致：可以减小批大小或缩短序列。",
)


def exit_code(who: str, code: int, tail: str) -> Said:
    """Say that a process ended with an exit code."""
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
    return Said(f"{said.en} Its last lines:\n{tail}", f"{said.zh}最后的输出：\n{tail}")


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
