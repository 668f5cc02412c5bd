"""Samples of OpenRLHF: what a rollout worker writes, and the steps the driver gives them."""

import asyncio
import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import starforge.frameworks

FOLDERS = [
    Path(starforge.frameworks.__file__).parent / name for name in ("openrlhf/drivers", "_drivers")
]


@pytest.fixture
def samples(monkeypatch, tmp_path):
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", str(tmp_path))
    before = set(sys.modules)
    yield importlib.import_module("openrlhf_samples")
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", "").startswith(tuple(map(str, FOLDERS))):
            del sys.modules[name]


class Tokenizer:
    def decode(self, ids, skip_special_tokens):
        assert skip_special_tokens
        return "".join(chr(one) for one in ids if one)


class Executor:
    """Upstream's interface, with what one answer leaves."""

    async def execute(self, prompt, label, params, max_length, hf_tokenizer, llm_engine,  # noqa: PLR0917
                      images=None):  # fmt: skip
        return {
            "prompt": prompt, "label": label, "observation_tokens": [81, 81, 52, 50, 0],
            "action_ranges": [(2, 5)], "truncated": llm_engine == "cuts",
            "reward": None if llm_engine == "fails" else 1.1,
            "extra_logs": {"rewards/right": 1.0, "rewards/form": 0.10000000149011612},
        }  # fmt: skip


def answer(samples, engine="ends", *, split="train", row=3):
    kind = type("Mine", (Executor,), {})
    samples.install(kind)
    label = json.dumps({"prompt": "Q", "columns": {}, "split": split, "row": row})
    return asyncio.run(
        kind().execute("<Q>", label, None, 8, hf_tokenizer=Tokenizer(), llm_engine=engine)
    )


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_an_answer_has_what_upstream_knows_of_it(samples, tmp_path):
    assert answer(samples)["reward"] == 1.1
    answer(samples, "cuts", row=4)
    answer(samples, "fails")
    samples.Rollouts(tmp_path).finish()
    first, second = lines(tmp_path / "samples" / "rollout.jsonl")
    assert first | {"t": 0} == {
        "t": 0, "s": 1, "prompt": "<Q>", "completion": "42", "reward": 1.1, "length": 3,
        "rewards": {"right": 1.0, "form": 0.1}, "group": 3, "truncated": False,
    }  # fmt: skip
    assert (second["truncated"], second["group"]) == (True, 4)


def rollouts(tmp_path, rows, number=1):
    path = tmp_path / "rollouts" / f"{number}.jsonl"
    path.parent.mkdir(exist_ok=True)
    with path.open("a") as stream:
        stream.writelines(json.dumps({"s": 0, "split": s, "t": t}) + "\n" for s, t in rows)


def test_answers_belong_to_the_step_that_is_logged_after_them(samples, tmp_path):
    found = samples.Rollouts(tmp_path)
    rollouts(tmp_path, [("train", 1.0), ("train", 2.0)])
    rollouts(tmp_path, [("train", 1.5), ("train", 6.0)], number=2)
    # Validation follows the log of its step, and is logged by itself.
    rollouts(tmp_path, [("validation", 5.2)])
    found.logged("train", 1, 5.0)
    found.logged("train", 1, 5.1)
    found.logged("validation", 1, 5.5)
    rollouts(tmp_path, [("train", 7.0)])
    found.logged("train", 2, 8.0)
    rollouts(tmp_path, [("train", 9.0), ("validation", 9.5)])
    found.finish()
    train = lines(tmp_path / "samples" / "rollout.jsonl")
    assert [(row["s"], row["t"]) for row in train] == [
        (1, 1.0), (1, 1.5), (1, 2.0), (2, 6.0), (2, 7.0), (3, 9.0),
    ]  # fmt: skip
    checked = lines(tmp_path / "samples" / "validation.jsonl")
    assert [(row["s"], row["t"]) for row in checked] == [(1, 5.2), (2, 9.5)]
    assert all("split" not in row for row in train + checked)


def test_a_step_keeps_few_and_a_worker_does_not_fill_the_disk(samples, tmp_path):
    for _ in range(2 * samples.WRITTEN):
        answer(samples)
    (path,) = (tmp_path / "rollouts").iterdir()
    assert len(lines(path)) == samples.WRITTEN
    found = samples.Rollouts(tmp_path)
    found.logged("train", 1, 1e12)
    assert len(lines(tmp_path / "samples" / "rollout.jsonl")) == samples.SAMPLES_A_STEP
    found.finish()
    assert len(lines(tmp_path / "samples" / "rollout.jsonl")) == samples.SAMPLES_A_STEP


def test_upstream_that_loads_the_reward_file_is_changed(samples, tmp_path, monkeypatch):
    upstream = SimpleNamespace(SingleTurnAgentExecutor=type("Mine", (Executor,), {}))
    monkeypatch.setitem(sys.modules, "openrlhf.utils.agent", upstream)
    importlib.import_module("openrlhf_reward")
    label = json.dumps({"prompt": "Q", "columns": {}})
    asyncio.run(
        upstream.SingleTurnAgentExecutor().execute("<Q>", label, None, 8, Tokenizer(), "ends")
    )
    assert [row["completion"] for row in lines(next((tmp_path / "rollouts").iterdir()))] == ["42"]
