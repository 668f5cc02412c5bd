"""The parts of the NeMo-RL drivers that need nothing but the standard library."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import starforge
import starforge.frameworks

FOLDER = Path(starforge.frameworks.__file__).parent
USER, SYSTEM = {"role": "user", "content": "2 + 2?"}, {"role": "system", "content": "Be brief."}


def said(text):
    return {"role": "assistant", "content": text}


@pytest.fixture
def driver(monkeypatch, tmp_path):
    """Import a driver module as a job does: from the folder it lies in."""
    for folder in ("nemo_rl/drivers", "_drivers"):
        monkeypatch.syspath_prepend(str(FOLDER / folder))
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", str(tmp_path / "attempt-0"))
    monkeypatch.setenv("STARFORGE_OUTPUT_DIR", str(tmp_path / "output"))
    before = set(sys.modules)
    yield importlib.import_module
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("kind", "row", "made"),
    [
        ("instruction", {"messages": [USER, said("4")]}, {"messages": [USER, said("4")]}),
        ("instruction", {"prompt": "2 + 2?", "completion": "4"}, {"messages": [USER, said("4")]}),
        ("instruction", {"prompt": [SYSTEM, USER], "completion": [said("4")]},
         {"messages": [SYSTEM, USER, said("4")]}),
        ("preference", {"prompt": "2 + 2?", "chosen": "4", "rejected": "5"},
         {"context": [USER], "completions": [{"rank": 0, "completion": [said("4")]},
                                             {"rank": 1, "completion": [said("5")]}]}),
        ("preference", {"chosen": [SYSTEM, USER, said("4")], "rejected": [SYSTEM, USER, said("5")]},
         {"context": [SYSTEM, USER], "completions": [{"rank": 0, "completion": [said("4")]},
                                                     {"rank": 1, "completion": [said("5")]}]}),
    ],
)  # fmt: skip
def test_rows_become_upstreams(driver, tmp_path, kind, row, made):
    data = driver("nemo_data")
    source, target = tmp_path / "in.jsonl", tmp_path / "deep" / "out.jsonl"
    source.write_text(json.dumps(row) + "\n\n" + json.dumps(row) + "\n")
    assert data.write(source, target, kind) == 2
    assert [json.loads(line) for line in target.read_text().splitlines()] == [made, made]


def test_prompts_keep_their_columns_as_one_text(driver, tmp_path):
    data = driver("nemo_data")
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    rows = [{"prompt": "2 + 2?", "answer": "4"}, {"prompt": "2 + 2?", "answer": [1, {"a": "三"}]}]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    data.write(source, target, "verifiable")
    made = [json.loads(line) for line in target.read_text("utf-8").splitlines()]
    assert [row["messages"] for row in made] == [[USER], [USER]]
    assert [json.loads(row["starforge_columns"]) for row in made] == rows


@pytest.mark.parametrize(
    ("kind", "line", "said_so"),
    [
        ("instruction", {"messages": [USER]}, "not the assistant's"),
        ("instruction", {"text": "x"}, "no column 'prompt'"),
        ("preference", {"chosen": [USER, said("4")], "rejected": [USER]}, "beginning of the other"),
        ("preference", {"chosen": [USER], "rejected": [SYSTEM]}, "part before"),
        ("prompts", {"prompt": [USER, said("4")]}, "does not end with a user's turn"),
        ("prompts", [1], "not an object"),
    ],
)
def test_a_row_that_can_not_be_used_is_named(driver, tmp_path, kind, line, said_so):
    data, files = driver("nemo_data"), driver("job_files")
    source = tmp_path / "in.jsonl"
    source.write_text("\n" + json.dumps(line) + "\n")
    with pytest.raises(files.JobError) as raised:
        data.write(source, tmp_path / "out.jsonl", kind)
    assert ":2:" in str(raised.value)
    assert said_so in str(raised.value)


def test_rollouts_become_samples(driver, tmp_path):
    """Lines exactly as upstream's logger writes them: every value a list of one."""
    samples = driver("nemo_samples")
    folder = tmp_path / "exp_001"
    folder.mkdir()
    train = {
        "content": [["<user>2 + 2?<assistant>", "It is 4.", ""]], "rewards": [1.1],
        "input_lengths": [9], "token_ids": [[5, 6, 7, 8]], "token_loss_mask": [[0, 0, 1, 1]],
        "sample_loss_mask": [1.0], "advantages": [[0.0, 0.0, 0.5, 0.5]],
        "generation_logprobs": [[0.0] * 4], "prev_logprobs": [[0.0] * 4], "idx": 0,
    }  # fmt: skip
    (folder / "train_data_step3.jsonl").write_text((json.dumps(train) + "\n") * 20)
    named = driver("nemo_parts").name_of("<user>2 + 2?<assistant>", "It is 4.")
    made = samples.convert(
        folder / "train_data_step3.jsonl", now=7.0, longest=2, parts={named: {"right": 1.1}}
    )
    assert len(made) == samples.PER_STEP
    assert made[0] == {
        "t": 7.0, "s": 3, "prompt": "<user>2 + 2?<assistant>", "completion": "It is 4.",
        "reward": 1.1, "rewards": {"right": 1.1}, "group": 0, "length": 2, "truncated": True,
        "split": "train",
    }  # fmt: skip
    (shorter, *_) = samples.convert(folder / "train_data_step3.jsonl", longest=3)
    assert shorter["truncated"] is False
    assert "rewards" not in shorter
    turns = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    val = {"content": [turns], "rewards": [0.0], "idx": 0}
    (folder / "val_data_step10.jsonl").write_text(json.dumps(val) + "\n")
    (sample,) = samples.convert(folder / "val_data_step10.jsonl", now=7.0)
    assert (sample["prompt"], sample["completion"], sample["split"]) == ("q", "a", "validation")
    distilled = [{"content": [[q, "a"]], "input_lengths": [3], "idx": 0} for q in ("q", "p", "q")]
    (folder / "train_data_step1.jsonl").write_text("".join(json.dumps(d) + "\n" for d in distilled))
    found = samples.convert(folder / "train_data_step1.jsonl", longest=3)
    assert [sample["group"] for sample in found] == [0, 1, 0]
    assert not any(sample.keys() & {"reward", "length", "truncated"} for sample in found)
    assert samples.convert(folder / "other.jsonl") == []


def test_parts_of_rewards_reach_the_samples_once(driver, monkeypatch, tmp_path):
    parts = driver("nemo_parts")
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", str(tmp_path))
    assert parts.take(tmp_path / parts.FILE) == {}
    parts.write(["p", "p"], ["a", "b"], [{"right": 1.0}, {}])
    assert parts.take(tmp_path / parts.FILE) == {parts.name_of("p", "a"): {"right": 1.0}}
    assert list(tmp_path.iterdir()) == []


def test_the_home_is_checked(driver, monkeypatch, tmp_path):
    home, files = driver("nemo_home"), driver("job_files")
    monkeypatch.setenv("NEMO_RL_HOME", str(tmp_path))
    with pytest.raises(files.JobError, match="NEMO_RL_HOME"):
        home.find_home("examples/run_sft.py", "0.7.0")
    (tmp_path / "examples").mkdir()
    (tmp_path / "examples/run_sft.py").write_text("")
    (tmp_path / "nemo_rl").mkdir()
    (tmp_path / "nemo_rl/package_info.py").write_text("MAJOR = 0\nMINOR = 6\nPATCH = 0\n")
    with pytest.raises(files.JobError, match=r"0\.6\.0"):
        home.find_home("examples/run_sft.py", "0.7.0")
    (tmp_path / "nemo_rl/package_info.py").write_text("MAJOR = 0\nMINOR = 7\nPATCH = 0\n")
    assert home.find_home("examples/run_sft.py", "0.7.0") == tmp_path
    monkeypatch.setenv("NEMO_RL_PYTHON", sys.executable)
    assert home.find_python(tmp_path) == sys.executable
    monkeypatch.setenv("NEMO_RL_PYTHON", str(tmp_path / "nowhere"))
    with pytest.raises(files.JobError, match="nowhere"):
        home.find_python(tmp_path)


def checkpoint(folder, step, *files):
    made = folder / f"step_{step}"
    for name in ("training_info.json", "config.yaml", "policy/tokenizer/tokenizer.json", *files):
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{step}")
    return made


def test_the_newest_whole_checkpoint_is_exported(driver, tmp_path):
    export = driver("nemo_export")
    folder, target = tmp_path / "checkpoints", tmp_path / "output" / "model"
    target.parent.mkdir()
    assert export.newest(folder) is None
    whole = ("policy/weights/model/consolidated/config.json",
             "policy/weights/model/consolidated/model-00001-of-00001.safetensors")  # fmt: skip
    checkpoint(folder, 9, *whole)
    checkpoint(folder, 10, *whole)
    (folder / "tmp_step_11").mkdir()
    (folder / "step_12").mkdir()  # nothing in it: not finished
    assert export.newest(folder).name == "step_10"
    assert export.export(folder, target, tmp_path, sys.executable)
    assert sorted(file.name for file in target.iterdir()) == [
        "config.json", "model-00001-of-00001.safetensors", "tokenizer.json",
    ]  # fmt: skip
    assert (target / "config.json").read_text() == "10"
    assert export.export(folder, target, tmp_path, sys.executable)  # again, over what is there


def test_adapters_and_shards_stay_as_they_are(driver, tmp_path, capsys):
    export = driver("nemo_export")
    folder, target = tmp_path / "checkpoints", tmp_path / "model"
    checkpoint(folder, 2, "policy/weights/model/adapter_model.safetensors")
    assert not export.export(folder, target, tmp_path, sys.executable)
    assert not target.exists()
    assert "step_2" in capsys.readouterr().err
    checkpoint(folder, 3, "policy/weights/.metadata")
    assert export.distributed(folder / "step_3") == folder / "step_3/policy/weights"
    # The converter of this "checkout" is not there, so nothing can be converted.
    assert not export.export(folder, target, tmp_path, sys.executable)


def run_driver(tmp_path, *argv, home, python=sys.executable, **more):
    job = {"data": {"train": "train.jsonl"}, "kind": "instruction", "export": True,
           "total_steps": 8}  # fmt: skip
    (tmp_path / "config.json").write_text(json.dumps(job))
    paths = [FOLDER / "nemo_rl/drivers", FOLDER / "_drivers", Path(starforge.__file__).parents[1]]
    env = {
        "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "STARFORGE_ATTEMPT_DIR": str(tmp_path / "attempt-0"), "NEMO_RL_HOME": str(home),
        "STARFORGE_OUTPUT_DIR": str(tmp_path / "output"), "SF_LANG": "en",
        "STARFORGE_CONFIG": str(tmp_path / "config.json"), "NEMO_RL_PYTHON": str(python),
    } | more  # fmt: skip
    command = [sys.executable, str(FOLDER / "nemo_rl/drivers/nemo_rl_run.py"), *argv]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_without_nemo_rl_a_job_says_so_in_one_line(tmp_path):
    done = run_driver(
        tmp_path, "--version", "0.7.0", "--data", str(tmp_path), "--",
        "examples/run_sft.py", "--config", "x", home=tmp_path / "nowhere",
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.startswith("error: NeMo-RL is not in ")
    assert "NEMO_RL_HOME" in done.stderr
    assert "Traceback" not in done.stderr


def test_ray_lies_in_a_folder_of_the_job_that_is_gone_behind_it(tmp_path):
    home, seen = tmp_path / "home", tmp_path / "seen"
    for name, text in {
        "examples/run_sft.py": "", "nemo_rl/package_info.py": "MAJOR = 0\nMINOR = 7\nPATCH = 0\n",
    }.items():  # fmt: skip
        (home / name).parent.mkdir(parents=True)
        (home / name).write_text(text)
    # In the place of NeMo-RL's interpreter: what that would see, and one more file to clean up.
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nmkdir "$RAY_TMPDIR/session_1"\nenv > {seen}\nexit 3\n')
    python.chmod(0o755)
    (tmp_path / "train.jsonl").write_text(json.dumps({"messages": [USER, said("4")]}) + "\n")
    (tmp_path / "attempt-0").mkdir()
    done = run_driver(
        tmp_path, "--version", "0.7.0", "--data", str(tmp_path), "--", "examples/run_sft.py",
        home=home, python=python, RAY_ADDRESS="10.0.0.1:6379", RAY_AUTH_TOKEN_PATH="/theirs",
    )  # fmt: skip
    assert "ended with exit code 3" in done.stderr, done.stderr
    env = dict(line.split("=", 1) for line in seen.read_text().splitlines() if "=" in line)
    folder = env["RAY_TMPDIR"]
    assert folder == env["TMPDIR"] == (tmp_path / "attempt-0" / "folders.txt").read_text().strip()
    assert folder.startswith("/tmp/sf-nemo-")  # sockets: a path of the job's would be too long
    assert env["RAY_ADDRESS"] == "local"
    assert (env["RAY_AUTH_MODE"], len(env["RAY_AUTH_TOKEN"])) == ("token", 64)
    assert "RAY_AUTH_TOKEN_PATH" not in env
    assert not Path(folder).exists()


def test_a_mistake_in_the_reward_file_shows_first(driver, tmp_path):
    launch, files = driver("nemo_launch"), driver("job_files")
    (tmp_path / "reward.py").write_text("def score(): ...\n")
    with pytest.raises(files.JobError, match="no function `reward`"):
        launch.try_reward(tmp_path / "reward.py")
    (tmp_path / "reward.py").write_text("def reward(prompts, completions): ...\n")
    launch.try_reward(tmp_path / "reward.py")


def test_maxrl_advantages(driver):
    """(r - mean) / mean within a prompt: much for rare successes, nothing without one."""
    maxrl = driver("nemo_maxrl")
    rare = maxrl.advantages(["p"] * 8, [1.0, *[0.0] * 7])
    assert rare[0] == pytest.approx(7.0)
    assert rare[1] == pytest.approx(-1.0)
    common = maxrl.advantages(["p"] * 8, [0.0, *[1.0] * 7])
    assert common[1] == pytest.approx(1 / 7)
    assert maxrl.advantages(["p"] * 4, [0.0] * 4) == [0.0] * 4
    mixed = maxrl.advantages(["a", "b", "a", "b"], [1.0, 0.0, 0.0, 1.0])
    assert mixed == pytest.approx([1.0, -1.0, -1.0, 1.0])
    assert sum(maxrl.advantages(["p"] * 3, [0.2, 0.5, 0.8])) == pytest.approx(0.0)


def test_the_teacher_reads_the_students_answer_after_its_own_prompt(driver):
    opsd = driver("nemo_opsd")
    student = [[1, 2, 7, 8, 9, 0], [3, 7, 0, 0, 0, 0]]
    answers = [[0, 0, 1, 1, 1, 0], [0, 1, 0, 0, 0, 0]]
    rows, places = opsd.teacher_rows(student, [5, 2], answers, [[4, 4, 4, 4], [5]], limit=100)
    assert rows == [[4, 4, 4, 4, 7, 8, 9], [5, 7]]
    assert places == [(2, 4, 3), (1, 1, 1)]


@pytest.mark.parametrize(
    ("limit", "row", "start"),
    [(10, [1, 2, 3, 9, 9], 3), (4, [2, 3, 9, 9], 2), (2, [3, 9, 9], 1)],
)
def test_what_is_too_long_loses_the_front_of_its_prompt(driver, limit, row, start):
    assert driver("nemo_opsd").cut([1, 2, 3], [9, 9], limit) == (row, start)


def test_the_solution_goes_to_the_last_turn(driver):
    prompts = driver("nemo_prompts")
    *before, last = prompts.with_solution([SYSTEM, USER], "It is 4.")
    assert before == [SYSTEM]
    assert last["role"] == "user"
    assert USER["content"] in last["content"]
    assert "It is 4." in last["content"]
    assert USER["content"] == "2 + 2?"  # the student's own prompt is left as it was
