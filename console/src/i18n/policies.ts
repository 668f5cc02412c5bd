import type { Texts } from "./texts";

export const en = {
  title: "When to stop, warn and retry",
  changed: "{{count}} of {{all}} changed",
  groups: {
    limits: "Further limits",
    training: "Training that goes wrong",
    machine: "The machine",
  },
  default: "default {{value}}",
  reset: "Back to the default: {{value}}",
  resetOne: "Back to the default: {{name}}",
  units: {
    switch: "",
    names: "names of metrics",
    duration: "90m, 2h, 1d, or seconds",
    size: "500MB, 5GiB, or bytes",
    count: "",
    factor: "× the early value; 0: never",
  },
  one: {
    time_limit: {
      title: "Time limit",
      text: "The longest an attempt may run. Then it has failed.",
      usual: "none",
    },
    budget: {
      title: "Budget",
      text: "The longest all attempts may run together. Then the job is stopped, and another attempt is refused.",
      usual: "none",
    },
    stalled: {
      title: "Stalled after",
      text: "The longest without a step, a metric, a sample or a line of log. Then it has failed; what its processes were doing is kept in a log.",
      usual: "none",
    },
    stop_grace: {
      title: "Time to stop",
      text: "What the processes get to end by themselves before they are killed.",
      usual: "30s",
    },
    nan_loss: {
      title: "Stop at the first NaN loss",
      text: "A loss that is not finite any more fails the job.",
      usual: "on",
    },
    nan_metrics: {
      title: "Metrics watched for NaN",
      text: "Instead of every metric called loss.",
      usual: "every loss",
    },
    no_signal: {
      title: "Nothing to learn from",
      text: "Steps in which all completions of a prompt get the same reward and the gradient is 0: then a warning, and after twice as many the job has failed. 0: never.",
      usual: "50",
      unit: "steps",
    },
    kl_explosion: {
      title: "KL explodes",
      text: "Warn when train/kl has grown this much. It ends nothing.",
      usual: "10",
    },
    length_explosion: {
      title: "Completions grow long",
      text: "Warn when the mean length of completions has grown this much. It ends nothing.",
      usual: "4",
    },
    disk_full: {
      title: "Stop when the disk is full",
      text: "Stops the job, to be resumed later, when less is left than is to stay free.",
      usual: "on",
    },
    disk_reserve: {
      title: "Disk to keep free",
      text: "On the disk that holds the job's folder.",
      usual: "1 GiB, at most 2 % of the disk",
    },
    retries: {
      title: "Retries",
      text: "How often it is tried again by itself when the machine failed (never when the job did): from the last checkpoint, else from scratch.",
      usual: "0",
      unit: "attempts",
    },
  },
};

export const zh = {
  title: "何时停止、提醒与重试",
  changed: "已改 {{count}} 个，共 {{all}} 个",
  groups: { limits: "其他时限", training: "训练异常", machine: "机器" },
  default: "默认 {{value}}",
  reset: "恢复默认值：{{value}}",
  resetOne: "恢复默认值：{{name}}",
  units: {
    switch: "",
    names: "指标名",
    duration: "如 90m、2h、1d，或秒数",
    size: "如 500MB、5GiB，或字节数",
    count: "",
    factor: "起初数值的倍数；0 表示从不",
  },
  one: {
    time_limit: {
      title: "时间上限",
      text: "单次尝试最长运行多久，超过即判为失败。",
      usual: "不限",
    },
    budget: {
      title: "总时限",
      text: "各次尝试合计最长运行多久。用尽后任务停止，也不能再重试或恢复。",
      usual: "不限",
    },
    stalled: {
      title: "停滞判定",
      text: "最长多久没有新的步数、指标、样例或日志。超过即判为失败，并把各进程当时的调用栈写入日志。",
      usual: "不判定",
    },
    stop_grace: {
      title: "停止宽限",
      text: "停止时留给各进程自行结束的时间，之后强制结束。",
      usual: "30s",
    },
    nan_loss: {
      title: "损失首次出现 NaN 时停止",
      text: "损失不再是有限数值时，任务判为失败。",
      usual: "开",
    },
    nan_metrics: {
      title: "检查 NaN 的指标",
      text: "代替默认检查的所有 loss 指标。",
      usual: "所有 loss",
    },
    no_signal: {
      title: "没有学习信号",
      text: "连续多少步里同一提示的所有回答奖励都相同、梯度为 0：先提醒，达到两倍步数则任务判为失败。0 表示从不。",
      usual: "50",
      unit: "步",
    },
    kl_explosion: {
      title: "KL 爆炸",
      text: "train/kl 增长到这么多倍时提醒，不会结束任务。",
      usual: "10",
    },
    length_explosion: {
      title: "回答过长",
      text: "回答的平均长度增长到这么多倍时提醒，不会结束任务。",
      usual: "4",
    },
    disk_full: {
      title: "磁盘将满时停止",
      text: "剩余空间少于要保留的空间时停止任务，之后可以恢复。",
      usual: "开",
    },
    disk_reserve: {
      title: "保留的磁盘空间",
      text: "指任务文件夹所在的磁盘。",
      usual: "1 GiB，且不超过磁盘的 2 %",
    },
    retries: {
      title: "重试次数",
      text: "机器出故障时（不含任务自身出错）自动再试几次：从最近的检查点继续，没有则从头开始。",
      usual: "0",
      unit: "次",
    },
  },
} satisfies Texts<typeof en>;
