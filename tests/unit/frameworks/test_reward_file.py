"""The one contract of reward functions, as the drivers of every framework call it."""

import asyncio
import importlib
import sys
from pathlib import Path

import pytest

import starforge.frameworks
from starforge.catalog.load import DATA

DRIVERS = Path(starforge.frameworks.__file__).parent / "_drivers"


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(str(DRIVERS))
    before, path = set(sys.modules), list(sys.path)
    yield importlib.import_module("reward_file")
    sys.path[:] = path
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def load(module, tmp_path):
    """Load a reward function from its source text."""

    def load(source):
        file = tmp_path / "reward.py"
        file.write_text(source, "utf-8")
        return module.RewardFile(file)

    return load


def test_columns_arrive_by_name(load):
    some = load("def reward(prompts, completions, answer, hard=None):\n"
                "    return [float(c == a) for c, a in zip(completions, answer)]\n")  # fmt: skip
    assert (some.columns, some.required) == (["answer", "hard"], ["answer"])
    scores = some(["p", "q"], ["1", "2"], {"answer": ["1", "3"], "unused": [0, 0]})
    assert [s.total for s in scores] == [1.0, 0.0]
    every = load("def reward(prompts, completions, **columns):\n"
                 "    return [len(columns)] * len(completions)\n")  # fmt: skip
    assert every(["p"], ["c"], {"a": [1], "b": [2]})[0].total == 2.0


def test_named_parts_are_added_with_their_weights(load):
    plain = load("def reward(prompts, completions):\n    return [{'a': 1, 'b': 0.5}]\n")
    assert plain(["p"], ["c"], {})[0] == (1.5, {"a": 1.0, "b": 0.5})
    weighted = load(
        "WEIGHTS = {'b': 2}\ndef reward(prompts, completions):\n    return [{'a': 1, 'b': 0.5}]\n"
    )
    assert weighted(["p"], ["c"], {})[0].total == 2.0


def test_async_functions_are_waited_for_inside_a_loop_too(load):
    reward = load("import asyncio\n"
                  "async def reward(prompts, completions):\n"
                  "    await asyncio.sleep(0)\n    return [3] * len(completions)\n")  # fmt: skip
    assert reward(["p"], ["c"], {})[0].total == 3.0

    async def inside():
        return reward(["p"], ["c"], {})[0].total

    assert asyncio.run(inside()) == 3.0


BAD = [
    ("return [1, 2, 3]", "3 rewards for 2 completions"),
    ("return 1.0", "returned float, not a list"),
    ("return None", "returned NoneType"),
    ("return 'ab'", "returned str"),
    ("return [1, None]", "reward 2 is None"),
    ("return [float('nan'), 1]", "reward 1 is nan"),
    ("return [1, {'a': 'x'}]", "reward 2 is 'x'"),
    ("return [(1, 2), 3]", "reward 1 is (1, 2)"),
    ("raise KeyError('x')", "raised KeyError: 'x'"),
]


@pytest.mark.parametrize(("body", "problem"), BAD)
def test_what_is_no_list_of_rewards_is_told_in_one_line(module, load, body, problem):
    reward = load(f"def reward(prompts, completions):\n    {body}\n")
    with pytest.raises(module.RewardError) as caught:
        reward(["p", "q"], ["a", "b"], {})
    assert problem in str(caught.value) and "\n" not in str(caught.value)


def test_files_without_a_function_and_missing_columns(module, load, tmp_path):
    with pytest.raises(module.RewardError, match="no function `reward`"):
        load("def score(x): pass\n")
    with pytest.raises(module.RewardError, match=r"can't be imported: SyntaxError"):
        load("def reward(:\n")
    with pytest.raises(module.RewardError, match="there is no Python file"):
        module.RewardFile(tmp_path / "gone.py")
    reward = load("def reward(prompts, completions, answer):\n    return [0]\n")
    with pytest.raises(module.RewardError, match="columns that the data lack: answer"):
        reward(["p"], ["c"], {})


def test_a_reward_file_may_import_its_neighbours(load, tmp_path):
    (tmp_path / "neighbour_of_reward.py").write_text("VALUE = 7\n")
    reward = load("from neighbour_of_reward import VALUE\n"
                  "def reward(prompts, completions):\n    return [VALUE]\n")  # fmt: skip
    assert reward(["p"], ["c"], {})[0].total == 7.0


@pytest.mark.parametrize("name", ["reward.py", "reward.zh.py"])
def test_the_sample_reward_judges_answers(module, name):
    reward = module.RewardFile(DATA / "scaffold" / name)
    texts = ["It is 12.", "12 or 13", "no idea", "-3.5"]
    scores = reward(["p"] * 4, texts, {"answer": ["12", "12", "12", "-3.5"]})
    assert [s.total for s in scores] == [1.1, 0.1, 0.0, 1.1]
    assert scores[0].parts == {"correct": 1.0, "format": 0.1}


def test_two_reward_files_with_neighbours_of_one_name_in_one_process(module, tmp_path):
    for number in (1, 2):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "neighbour_again.py").write_text(f"VALUE = {number}\n")
        (folder / "reward.py").write_text(
            "from neighbour_again import VALUE\n"
            "def reward(prompts, completions):\n    return [VALUE]\n"
        )
        reward = module.RewardFile(folder / "reward.py")
        assert reward(["p"], ["c"], {})[0].total == number


def test_weights_that_came_with_the_parts(load):
    function = load(
        "from starforge.rewards import weighted\nWEIGHTS = {'a': 100}\n"
        "def reward(prompts, completions):\n"
        "    return weighted(a=([1.0, 0.0], 2.0), b=([1.0, 1.0], 0.5))\n"
    )
    assert function(["p", "q"], ["c", "d"], {}) == [
        (2.5, {"a": 1.0, "b": 1.0}), (0.5, {"a": 0.0, "b": 1.0}),
    ]  # fmt: skip


def test_a_single_row_has_the_columns_of_all_rows(module, tmp_path):
    files = [tmp_path / "train.jsonl", tmp_path / "validation.jsonl"]
    files[0].write_text('{"prompt": "p", "answer": "1"}\n\n{"prompt": "q", "level": 2}\n')
    files[1].write_text('{"prompt": "r", "hint": null}\n')
    assert module.with_all_columns({"answer": "1"}, tmp_path / "elsewhere") == {"answer": ["1"]}
    module.note_columns(files, tmp_path)
    assert module.with_all_columns({"answer": "1"}, tmp_path) == {
        "answer": ["1"], "hint": [None], "level": [None],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "reward.py 中没有函数 `reward`"),
        ("x = 1 / 0", "reward.py 无法导入：ZeroDivisionError"),
        ("TIME_LIMIT = -1\ndef reward(prompts, completions): ...", "不是大于 0 的秒数"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_chinese_too(module, load, monkeypatch, source, said):
    monkeypatch.setenv("SF_LANG", "zh")
    with pytest.raises(module.RewardError, match=said):
        load(source)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return [1.0]", "reward.py 对 2 个回答返回了 1 个奖励"),
        ("return 'good'", "reward.py 返回的是 str，而不是奖励列表"),
        ("return [1.0, None]", "reward.py：第 2 个奖励是 None，不是有限的数"),
        ("raise ValueError('{x}')", "reward.py 抛出异常 ValueError: {x}"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_call_is_said_in_chinese_too(module, load, monkeypatch, body, said):
    monkeypatch.setenv("SF_LANG", "zh")
    reward = load(f"def reward(prompts, completions):\n    {body}\n")
    with pytest.raises(module.RewardError) as caught:
        reward(["p", "q"], ["a", "b"], {})
    assert str(caught.value) == said


def test_a_call_that_was_late_is_said_in_chinese_too(module, load, monkeypatch):
    monkeypatch.setenv("SF_LANG", "zh")
    reward = load(
        "from starforge.rewards.watchdog import LateError\nTIME_LIMIT = 0.5\n"
        "def reward(prompts, completions):\n    raise LateError\n"
    )
    with pytest.raises(module.RewardError) as caught:
        reward(["p"], ["a"], {})
    said = "reward.py 的一次调用超过了 0.5 秒（TIME_LIMIT），当时在第 4 行的 reward 中"
    assert str(caught.value) == said
