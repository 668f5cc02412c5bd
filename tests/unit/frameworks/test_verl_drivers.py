"""The parts of verl's drivers that need no framework: words, rows, reward, followed files."""

import importlib
import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from starforge import frameworks

ROOT = Path(frameworks.__file__).parent
FOLDERS = (ROOT / "verl" / "drivers", ROOT / "_drivers")


@pytest.fixture
def driver(monkeypatch):
    """Import a driver module as a job does: with its folder on the path."""
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", "").startswith(tuple(map(str, FOLDERS))):
            del sys.modules[name]


def test_words_get_the_models_and_stay_whole(driver):
    words = driver("verl_words").prepare_words(
        ["-m", "verl.trainer.main_ppo", "a.model.path='starforge:tiny'", "b.name=starforge",
         "distillation.teacher_models.teacher_model.model_path='starforge:tiny'",
         "trainer.default_local_dir='/home/o'neil/job/output/checkpoints'"],
        ("starforge:tiny", "/home/o'neil/job/work/tiny-model"),
        ("starforge:tiny", "/home/o'neil/job/work/tiny-teacher"), Path("/home/o'neil/job"),
    )  # fmt: skip
    assert words == [
        "-m", "verl.trainer.main_ppo", r"a.model.path='/home/o\'neil/job/work/tiny-model'",
        "b.name=starforge",
        r"distillation.teacher_models.teacher_model.model_path="
        r"'/home/o\'neil/job/work/tiny-teacher'",
        r"trainer.default_local_dir='/home/o\'neil/job/output/checkpoints'",
    ]  # fmt: skip


def test_the_driver_and_the_plan_quote_alike(driver):
    from starforge.frameworks.verl.hydra_args import inside_quotes

    for text in ("plain", "it's", "a\\'b", "end\\", "'", "\\\\'"):
        assert driver("verl_words").inside_quotes(text) == inside_quotes(text)


def test_rows_of_reinforcement_learning(driver):
    data = driver("verl_data")
    row = {"prompt": "1 + 1 = ?", "answer": 2, "level": "easy"}
    made = data.prompted(row, 3)
    assert made["prompt"] == [{"role": "user", "content": "1 + 1 = ?"}]
    assert made["reward_model"] == {"style": "rule", "ground_truth": "2"}
    assert made["extra_info"]["index"] == 3
    assert json.loads(made["extra_info"]["row"]) == row


def test_rows_of_supervised_fine_tuning(driver):
    data = driver("verl_data")
    chat = [{"role": "user", "content": "a", "name": "x"}, {"role": "assistant", "content": "b"}]
    plain = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    assert data.supervised({"messages": chat}, 0) == {"messages": plain}
    assert data.supervised({"prompt": "a", "completion": "b"}, 0) == {"messages": plain}
    assert data.supervised({"prompt": chat[:1], "completion": "b"}, 0) == {"messages": plain}


@pytest.mark.parametrize(
    "line", ["{", "[1]", '{"answer": "1"}', '{"prompt": [{"role": "user"}]}', '{"prompt": []}',
             '{"prompt": [{"role": "user", "content": [1]}]}']
)  # fmt: skip
def test_a_row_of_another_kind_is_told_with_its_line(driver, tmp_path, line):
    data, job_files = driver("verl_data"), driver("job_files")
    path = tmp_path / "train.jsonl"
    path.write_text('{"prompt": "fine"}\n\n' + line + "\n", "utf-8")
    with pytest.raises(job_files.JobError, match=r"train\.jsonl:3"):
        list(data.chunks(path, data.prompted))


def test_the_reward_function_gets_prompt_completion_and_columns(driver, tmp_path):
    reward = driver("verl_reward")
    file = tmp_path / "reward.py"
    file.write_text(
        "WEIGHTS = {'b': 2}\n"
        "def reward(prompts, completions, answer):\n"
        "    assert prompts == ['1 + 1 = ?']\n"
        "    return [{'a': float(c == r), 'b': 0.25} for c, r in zip(completions, answer)]\n",
        "utf-8",
    )
    info = {"row": json.dumps({"prompt": "1 + 1 = ?", "answer": "2", "level": 1}), "index": 0}
    score = reward.compute_score("starforge", "2", "2", info, file=str(file), num_turns=1)
    assert score == {"score": 1.5, "a": 1.0, "b": 0.25}
    score = reward.compute_score("starforge", "3", "2", info, file=str(file))
    assert score == {"score": 0.5, "a": 0.0, "b": 0.25}
    assert reward.compute_score("starforge", "x", "") == {"score": 0.0}


def test_a_reward_that_is_none_ends_the_job_with_its_reason(driver, tmp_path, monkeypatch):
    reward, reward_file = driver("verl_reward"), driver("reward_file")
    file = tmp_path / "wrong.py"
    file.write_text("def reward(prompts, completions):\n    return ['much']\n", "utf-8")
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", str(tmp_path))
    assert reward.failure(tmp_path) is None
    with pytest.raises(reward_file.RewardError, match="not a finite number"):
        reward.compute_score("starforge", "x", "", {"row": "{}"}, file=str(file))
    # verl tells it among tracebacks; the driver takes it from here.
    assert reward.failure(tmp_path) == "wrong.py: reward 1 is 'much', not a finite number"


@pytest.fixture
def follower(driver, tmp_path, monkeypatch):
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", str(tmp_path))
    return driver("verl_follow").Follower(tmp_path, 4, tmp_path / "checkpoints", 1)


def lines(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_progress_follows_whole_lines_of_the_metrics(follower, tmp_path):
    metrics = tmp_path / "verl-metrics.jsonl"
    metrics.write_text('{"step": 1, "data": {}}\n{"step": 2, "da', "utf-8")
    follower.look()
    assert json.loads((tmp_path / "progress.json").read_text("utf-8"))["step"] == 1
    with metrics.open("a") as stream:
        stream.write('ta": {}}\n')
    follower.look()
    progress = json.loads((tmp_path / "progress.json").read_text("utf-8"))
    assert (progress["step"], progress["total"]) == (2, 4)


def test_samples_are_taken_over_once_their_file_stands_still(follower, tmp_path):
    row = {"input": "p", "output": "c", "gts": "5", "score": 1.0, "step": 2}
    rows = [{**row, "uid": f"{uid}_{n}_0"} for uid in ("x", "y") for n in (0, 1)]
    dump = tmp_path / "rollouts" / "2.jsonl"
    dump.parent.mkdir()
    dump.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    follower.look()
    assert dump.exists()
    follower.look()
    assert not dump.exists()
    found = lines(tmp_path / "samples" / "rollout.jsonl")
    assert [one["group"] for one in found] == [0, 0, 1, 1]
    assert found[0] | {"t": 0} == {"t": 0, "s": 2, "prompt": "p", "completion": "c",
                                   "reward": 1.0, "reference": "5", "group": 0}  # fmt: skip


def test_samples_have_lengths_and_parts_where_verl_was_given_them(driver, tmp_path):
    columns, follow = driver("verl_columns"), driver("verl_follow")
    known = columns.Remembered()
    keys = ["x_0_0", "x_1_0"]
    known.take(SimpleNamespace(keys=keys, tags=[{"response_len": 16}, {"response_len": 7}]))
    info = {"score": 0.1, "right": 0.0, "form": 0.10000000149011612}
    known.parts = {key: columns.parts_of({"reward_extra_info": info}) for key in keys}
    added = known.columns(keys, 16)
    row = {"input": "p", "output": "c", "gts": None, "score": 0.10000000149011612, "step": 1}
    rows = [
        row | {"uid": key} | {name: values[n] for name, values in added.items()}
        for n, key in enumerate(keys)
    ]
    path = tmp_path / "1.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    first, second = follow.samples(path)
    assert first | {"t": 0} == {
        "t": 0, "s": 1, "prompt": "p", "completion": "c", "reward": 0.1, "group": 0,
        "rewards": {"right": 0.0, "form": 0.1}, "length": 16, "truncated": True,
    }  # fmt: skip
    assert (second["length"], second["truncated"]) == (7, False)
    # Nothing is made up for an answer that is not known.
    assert columns.Remembered().columns(keys, 16) == {}


def test_at_the_end_everything_is_taken(follower, tmp_path):
    dump = tmp_path / "validation-rollouts" / "7.jsonl"
    dump.parent.mkdir()
    row = {"input": "p", "output": "c", "score": 0.5, "step": 7, "correct": 1.0, "acc": True}
    dump.write_text(json.dumps(row) + "\n" + '{"cut', "utf-8")
    follower.finish()
    (found,) = lines(tmp_path / "samples" / "validation.jsonl")
    assert found["rewards"] == {"correct": 1.0}
    follower.finish()
    assert len(lines(tmp_path / "samples" / "validation.jsonl")) == 1


def test_samples_of_a_step_are_limited(driver, tmp_path):
    follow = driver("verl_follow")
    path = tmp_path / "1.jsonl"
    path.write_text('{"input": "p", "output": "c", "step": 1}\n' * 100, "utf-8")
    assert len(list(follow.samples(path))) == follow.SAMPLES_A_STEP


def test_an_export_that_fails_leaves_the_model_as_it_was(driver, tmp_path):
    export, job_files = driver("verl_export"), driver("job_files")
    final = tmp_path / "output" / "model"
    final.mkdir(parents=True)
    (final / "old").touch()
    with pytest.raises(job_files.JobError, match="exit code 3"):
        export.export(tmp_path / "c", final, "base", lora={}, runner=lambda _command: 3)
    assert (final / "old").exists()


def test_an_export_replaces_the_model_whole(driver, tmp_path):
    export = driver("verl_export")
    final = tmp_path / "output" / "model"
    final.mkdir(parents=True)
    (final / "old").touch()

    def merger(command):
        target = Path(command[command.index("--target_dir") + 1])
        target.mkdir()
        (target / "model.safetensors").touch()
        return 0

    assert export.export(tmp_path / "c", final, "base", lora={}, runner=merger) is None
    assert [path.name for path in final.iterdir()] == ["model.safetensors"]
    assert [path.name for path in final.parent.iterdir()] == ["model"]


def test_the_adapter_gets_what_verls_merger_does_not_know(driver, tmp_path):
    export = driver("verl_export")
    config = tmp_path / "adapter_config.json"
    config.write_text('{"r": 8, "lora_alpha": 0, "target_modules": ["q_proj"]}', "utf-8")
    export.complete(tmp_path, {"rank": 8, "alpha": 32, "base": "base"})
    assert json.loads(config.read_text("utf-8")) == {
        "r": 8, "lora_alpha": 32, "target_modules": ["q_proj"], "task_type": "CAUSAL_LM",
        "base_model_name_or_path": "base",
    }  # fmt: skip


def test_a_stopped_driver_takes_what_is_left_and_leaves_nothing(tmp_path):
    code = (
        "import pathlib, sys\n"
        f"sys.path.insert(0, {str(FOLDERS[1])!r})\n"
        "from upstream import run_upstream\n"
        "child = \"import pathlib, time; pathlib.Path('ready').touch(); time.sleep(60)\"\n"
        "run_upstream([sys.executable, '-c', child], on_stop=pathlib.Path('cleaned').touch)\n"
    )
    driver = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path)
    try:
        wait_until((tmp_path / "ready").exists)
        driver.send_signal(signal.SIGTERM)
        assert driver.wait(30) == 128 + signal.SIGTERM
    finally:
        driver.kill()
    assert (tmp_path / "cleaned").exists()


def wait_until(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
