"""Reward files: read everywhere, run for a moment where their author sits."""

import msgspec
import pytest

from starforge.checks.reward import check_reward, make_batch
from starforge.checks.reward_run import run_trial
from starforge.checks.reward_signature import Signature, Unusable, read_signature

ROWS = [{"prompt": f"{i} + 1 = ?", "answer": str(i + 1)} for i in range(6)]
HEAD = "def reward(prompts, completions, answer):\n"
RIGHT = HEAD + "    return [float(a in c) for c, a in zip(completions, answer)]\n"


@pytest.fixture
def look(make_context):
    def find(reward: str, *, trial: bool = True, rows=ROWS):
        context = make_context(
            rows, method="trl/grpo", reward="reward.py", files={"reward.py": reward}
        )
        return list(check_reward(msgspec.structs.replace(context, trial=trial)))

    return find


@pytest.mark.parametrize(
    "reward",
    [
        RIGHT,
        "async " + RIGHT,
        HEAD + "    print('x' * 10**6)\n    return [{'a': float(len(c))} for c in completions]\n",
        "def reward(prompts, completions, *, answer=None, **more):\n"
        "    return [len(c) * 0.1 for c in completions]\n",
    ],
)
def test_a_reward_that_works(look, reward):
    assert look(reward) == []


@pytest.mark.parametrize(
    ("body", "line", "english", "chinese"),
    [
        ("    return [1.0]\n", None, "it returned 1 rewards for 36 completions", "返回了 1 个奖励"),
        ("    return [None] * 36\n", None, "reward 1 is None", "第 1 个奖励是 None"),
        ("    return [float('nan')] * 36\n", None, "reward 1 is nan", "不是有限的数"),
        ("    return (1.0, 2.0)\n", None, "it returned 2 rewards", "返回了 2 个奖励"),
        ("    return 1.0\n", None, "it returned float, not a list", "返回的是 float"),
        ("    x = 1\n    return [float(c) for c in completions]\n", 3,
         "it raised ValueError: could not convert string to float", "抛出异常 ValueError"),
        ("    import os\n    os._exit(3)\n", None,
         "ended without an answer (exit code 3)", "退出码 3"),
        ("    raise SystemExit(4)\n", None, "ends the process (exit code 4)", "退出码 4"),
    ],
)  # fmt: skip
def test_a_reward_that_fails(look, body, line, english, chinese):
    """cases.md 52."""
    (found,) = look(HEAD + body)
    assert (found.code, found.severity, found.at.file) == ("reward/fails", "error", "reward.py")
    assert found.at.line == line
    assert english in found.message.en
    assert chinese in found.message.zh


def test_import_errors(look):
    (found,) = look("import nothing_of_this_name\n" + RIGHT)
    assert (found.code, found.severity) == ("reward/not-tried", "info")
    assert "`nothing_of_this_name`" in found.message.en
    (found,) = look("x = 1 / 0\n" + RIGHT)
    assert (found.code, found.at.line) == ("reward/fails", 1)
    assert "can't be imported: ZeroDivisionError" in found.message.en


def test_a_reward_that_tells_nothing_apart(look):
    (found,) = look(HEAD + "    return [0.5 for _ in completions]\n")
    assert (found.code, found.severity) == ("reward/constant", "warning")
    assert "0.5 to all of 36 answers" in found.message.en


def test_a_slow_reward(look, monkeypatch):
    monkeypatch.setattr("starforge.checks.reward.SLOW", 0.0)
    (found,) = look(RIGHT)
    assert (found.code, found.severity) == ("reward/slow", "warning")


PARTS = HEAD + "    return [{'right': float(a in c)} for c, a in zip(completions, answer)]\n"


def test_a_weight_of_no_part(look):
    (found,) = look("WEIGHTS = {'rihgt': 2.0}\n" + PARTS)
    assert (found.code, found.severity) == ("reward/weights", "warning")
    assert "`rihgt`" in found.message.en
    assert found.hint.en == "did you mean `right`?"
    assert look("WEIGHTS = {'right': 2}\n" + PARTS) == []


@pytest.mark.parametrize("weights", ["3", "{'right': 'much'}", "{'right': float('nan')}"])
def test_weights_that_are_none(look, weights):
    (found,) = look(f"WEIGHTS = {weights}\n" + PARTS)
    assert found.code == "reward/fails"
    assert "WEIGHTS is" in found.message.en
    assert "WEIGHTS 是" in found.message.zh
    assert "WEIGHTS = " in found.hint.en


def test_a_call_beyond_the_limit_of_the_file(look):
    (found,) = look("TIME_LIMIT = 0.000001\n" + RIGHT)
    assert (found.code, found.severity) == ("reward/late", "warning")
    assert "TIME_LIMIT is 1e-06 seconds" in found.message.en
    assert "1e-06 秒" in found.message.zh


def test_a_reward_beyond_its_limit_and_ours(look, monkeypatch):
    monkeypatch.setattr("starforge.checks.reward.SECONDS", 1.0)
    endless = HEAD + "    while True: pass\n"
    (late,) = look("TIME_LIMIT = 0.5\n" + endless)
    (slow,) = look("TIME_LIMIT = None\n" + endless)
    assert (late.code, slow.code) == ("reward/late", "reward/slow")


def test_a_reward_that_writes_elsewhere(look, tmp_path):
    place = tmp_path / "notes.txt"
    body = f"    open({str(place)!r}, 'a').write('x')\n"
    (found,) = look(RIGHT.replace(HEAD, HEAD + body))
    assert (found.code, found.severity) == ("reward/writes", "warning")
    assert str(place) in found.message.en
    own = "    import os, tempfile\n    tempfile.TemporaryFile().write(b'x')\n"
    there = "    open(os.environ['STARFORGE_OUTPUT_DIR'] + '/notes.txt', 'w').close()\n"
    assert look(RIGHT.replace(HEAD, HEAD + own + there)) == []


def test_a_crash_and_too_much_memory(look):
    (found,) = look(HEAD + "    import os\n    os.kill(os.getpid(), 11)\n")
    assert "without an answer (SIGSEGV)" in found.message.en
    assert "crashed" in found.hint.en
    (found,) = look(HEAD + "    return bytearray(9 << 30)\n")
    assert "more than 8 GiB" in found.message.en
    assert "超过了 8 GiB" in found.message.zh


def test_code_is_tried_in_the_forms_of_code(look, monkeypatch):
    monkeypatch.setattr("starforge.checks.reward.SLOW", 60.0)  # a busy machine is no fault
    rows = [{"prompt": "Add.", "solution": "def add(a, b): return a + b",
             "tests": ["assert add(1, 2) == 3"]}]  # fmt: skip
    batch = make_batch(rows)
    assert batch["completions"][0] == "```python\ndef add(a, b): return a + b\n```"
    assert not any("boxed" in one for one in batch["completions"])
    head = "from starforge.rewards import code\ndef reward(prompts, completions, tests):\n"
    assert look(head + "    return code(completions, tests)\n", rows=rows) == []


def test_a_reward_that_does_not_end_is_ended_with_its_children(tmp_path):
    file = tmp_path / "reward.py"
    file.write_text(
        "import pathlib, subprocess\n"
        f"child = subprocess.Popen(['sleep', '600'])\n"
        f"pathlib.Path({str(tmp_path / 'pid')!r}).write_text(str(child.pid))\n" + HEAD +
        "    child.wait()\n"
    )  # fmt: skip
    assert run_trial(file, make_batch(ROWS), seconds=2.0) == {"late": True}
    import psutil

    child = int((tmp_path / "pid").read_text())
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == "zombie"


def test_the_child_gets_no_secrets_and_limited_room(tmp_path, monkeypatch):
    monkeypatch.setenv("STARFORGE_TOKEN", "secret")
    file = tmp_path / "reward.py"
    file.write_text(
        "import os\n" + HEAD + "    assert 'STARFORGE_TOKEN' not in os.environ\n"
        "    assert not os.listdir('.')\n    bytearray(64 << 30)\n"
    )
    assert "raised MemoryError" in run_trial(file, make_batch(ROWS), 20.0)["problem"]


def test_a_reward_that_forks_without_end_is_stopped(look):
    (found,) = look(HEAD + "    import os\n    while True:\n        os.fork()\n")
    assert (found.code, found.severity) == ("reward/fails", "error")
    assert "more than 256 processes forked in one call" in found.message.en


@pytest.mark.parametrize("place", ["call", "import"])
def test_a_forked_process_that_comes_back(look, place):
    fork = "import os\nos.fork()\n" if place == "import" else ""
    body = "    import os\n    os.fork()\n" if place == "call" else ""
    (found,) = look(fork + HEAD + body + "    return [float(a in c) "
                    "for c, a in zip(completions, answer)]\n")  # fmt: skip
    assert (found.code, found.severity) == ("reward/fails", "error")
    assert "the new process comes back from the call" in found.message.en
    assert "os._exit" in found.hint.zh


def test_workers_and_programs_of_a_reward_are_its_own_affair(look):
    assert look(
        "import multiprocessing, subprocess\n" + HEAD +
        "    subprocess.run(['true'], check=True)\n"
        "    with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "        return pool.map(float, [a in c for c, a in zip(completions, answer)])\n"
    ) == []  # fmt: skip


def test_a_reward_that_fills_the_disk_is_stopped(look):
    body = "    open('big', 'wb').write(bytes(65 << 20))\n    return [1.0] * len(completions)\n"
    (found,) = look(HEAD + body)
    assert (found.code, found.at.line) == ("reward/fails", 2)
    assert "File too large" in found.message.en


def test_nothing_runs_where_its_author_does_not_sit(look, tmp_path):
    mark = tmp_path / "ran"
    reward = f"open({str(mark)!r}, 'w').close()\n" + RIGHT
    assert look(reward, trial=False) == []
    assert not mark.exists()
    assert [found.code for found in look(reward)] == ["reward/writes"]
    assert mark.exists()


def test_rows_that_lack_a_column_are_left_to_the_check_of_the_data(look):
    assert look(RIGHT, rows=[{"prompt": "a"}]) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("def score(x):\n    return 1\n", "no function `reward`"),
        ("def reward(completion):\n    return 1\n", "must begin with"),
        ("def reward(answer, prompts, completions):\n    return 1\n", "must begin with"),
        ("def reward(:\n", "not Python"),
    ],
)
def test_files_that_say_themselves_that_they_can_not_be_used(look, text, problem):
    (found,) = look(text, trial=False)
    assert found.code == "reward/unusable"
    assert problem in found.message.en


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "    ...", Signature(("answer",), ("answer",), False)),
        ("def reward(prompts, completions, a, b=1, *, c, d=2, **e): ...",
         Signature(("a", "b", "c", "d"), ("a", "c"), True)),
        ("def reward(*args, **columns): ...", Signature((), (), True)),
        ("from helper import reward", None),
        ("if True:\n    def reward(prompts, completions): ...", None),
        ("from helper import *", None),
    ],
)  # fmt: skip
def test_signatures(tmp_path, text, expected):
    (tmp_path / "reward.py").write_text(text)
    assert read_signature(tmp_path / "reward.py") == expected
    assert isinstance(read_signature(tmp_path / "none.py"), Unusable)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("from starforge.rewards import numerc", "starforge.rewards.numerc"),
        ("from starforge import rewrads", "starforge.rewrads"),
        ("import starforge.cli", "starforge.cli"),
        ("from starforge.rewards.numbers import numeric", "starforge.rewards.numbers.numeric"),
        ("from starforge import rewards as r\nx = r.maths", "starforge.rewards.maths"),
        ("import starforge.rewards\nx = starforge.rewards.maths", "starforge.rewards.maths"),
    ],
)
def test_built_in_rewards_that_do_not_exist(look, line, name):
    (found,) = look(f"{line}\n{RIGHT}", trial=False)
    assert (found.code, found.severity) == ("reward/unknown-builtin", "error")
    assert f"`{name}`" in found.message.en and f"`{name}`" in found.message.zh


def test_built_in_rewards_that_exist(look):
    lines = (
        "from starforge import report, rewards\nfrom starforge.rewards import numeric, weighted\n"
        "from starforge.rewards.sandbox import Limits\n"
    )
    body = HEAD + (
        "    return weighted(a=(numeric(completions, answer), 2.0), b=rewards.numeric(\n"
        "        completions, answer))\n"
    )
    assert look(lines + body) == []


def test_a_judge_is_not_asked_by_checks(look):
    (found,) = look(
        "from starforge.rewards import judge\n" + HEAD +
        "    return judge(prompts, completions, 'Be right.', url='http://127.0.0.1:9', model='m')\n"
    )  # fmt: skip
    assert (found.code, found.severity) == ("reward/judge", "info")


def test_a_time_limit_that_is_none(look):
    (found,) = look("TIME_LIMIT = 'long'\n" + RIGHT)
    assert found.code == "reward/fails"
    assert "TIME_LIMIT is 'long', not a number" in found.message.en
    assert "不是大于 0 的秒数" in found.message.zh
