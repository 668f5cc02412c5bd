"""The one line of a log that says what failed."""

import pytest

from starforge.smoke.reading import last_lines, reason_in

TRACE = """\
Traceback (most recent call last):
  File "trainer.py", line 3, in step
    raise ValueError("mask of 3 tokens for 4")
ValueError: mask of 3 tokens for 4
"""


@pytest.mark.parametrize(
    ("log", "reason"),
    [
        ("Loading\nerror: reward.py returned 3 rewards for 4 completions\n",
         "reward.py returned 3 rewards for 4 completions"),
        (TRACE + "错误：奖励函数失败\n", "奖励函数失败"),
        (TRACE, "ValueError: mask of 3 tokens for 4"),
        (TRACE + "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n"
         + "subprocess.CalledProcessError: Command x returned 1\n",
         "ValueError: mask of 3 tokens for 4"),
        ("(TaskRunner pid=12) jinja2.exceptions.TemplateError: no system turn\n",
         "jinja2.exceptions.TemplateError: no system turn"),
        (TRACE + "error: verl ended with exit code 1; its own message stands above\n",
         "ValueError: mask of 3 tokens for 4"),
        ("Loading\nerror: verl ended with exit code 1; its own message stands above\n",
         "verl ended with exit code 1; its own message stands above"),
        ("(TaskRunner pid=12)     assert len(loader)\n(TaskRunner pid=12) AssertionError\n",
         "AssertionError: assert len(loader)"),
        ("Loading\nKilled\n", None),
    ],
)  # fmt: skip
def test_reason(log, reason):
    assert reason_in([line for line in log.splitlines() if line]) == reason


def test_a_log_is_cut_at_its_end():
    assert last_lines([str(n) for n in range(100)], most=2) == ["98", "99"]
    assert len(last_lines(["x" * 10_000])[0]) == 400
