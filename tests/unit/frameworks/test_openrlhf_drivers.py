"""The parts of the OpenRLHF drivers that need nothing but the standard library."""

import importlib
import json
import os
import signal
import sys
import types
import zipfile
from pathlib import Path

import pytest

import starforge.frameworks

FOLDER = Path(starforge.frameworks.__file__).parent
TURN = {"role": "user", "content": "1 + 1 = ?"}
ANSWER = {"role": "assistant", "content": "2"}
REWARD = """
def reward(prompts, completions, answer):
    assert prompts == ["1 + 1 = ?"]
    return [{"right": float(c == a), "said": 0.5} for c, a in zip(completions, answer)]
"""


@pytest.fixture
def driver(monkeypatch, tmp_path):
    """Import a driver module as a job does: from the folder it lies in."""
    for folder in ("openrlhf/drivers/cpu", "openrlhf/drivers", "_drivers"):
        monkeypatch.syspath_prepend(str(FOLDER / folder))
    attempt = tmp_path / "attempt-0"
    attempt.mkdir()
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", str(attempt))
    monkeypatch.setenv("STARFORGE_OUTPUT_DIR", str(tmp_path / "output"))
    before, path, handler = set(sys.modules), list(sys.path), signal.getsignal(signal.SIGTERM)
    yield importlib.import_module
    signal.signal(signal.SIGTERM, handler)
    sys.path[:] = path
    for name in set(sys.modules) - before:
        del sys.modules[name]


def job(kind, **more):
    return {"kind": kind, "data": {"train": "train.jsonl"}, "chat": True, "pretrain": False,
            "template": False, "batch": 2, "cpus": 2, "gpus": 0} | more  # fmt: skip


@pytest.mark.parametrize(
    ("row", "modes", "made"),
    [
        ({"messages": [TURN, ANSWER]}, {"chat": True}, {"input": [TURN, ANSWER]}),
        ({"prompt": "1 + 1 = ?", "completion": "2"}, {"chat": True}, {"input": [TURN, ANSWER]}),
        ({"prompt": [TURN], "completion": [ANSWER]}, {"chat": True}, {"input": [TURN, ANSWER]}),
        ({"prompt": "a", "completion": "b"}, {"chat": False}, {"input": "a", "output": "b"}),
        ({"text": "a b"}, {"chat": True, "pretrain": True}, {"input": "a b"}),
    ],
)
def test_instruction_rows(driver, row, modes, made):
    rows = driver("openrlhf_rows")
    assert rows.instruction(row, **{"pretrain": False, **modes}) == made


@pytest.mark.parametrize(
    ("row", "modes"),
    [
        ({"messages": [TURN]}, {"chat": True}),
        ({"messages": [TURN, ANSWER]}, {"chat": False}),
        ({"text": "a"}, {"chat": True}),
        ({"prompt": "a"}, {"pretrain": True, "chat": True}),
    ],
)
def test_rows_without_a_meaning(driver, row, modes):
    rows = driver("openrlhf_rows")
    with pytest.raises(rows.RowError):
        rows.instruction(row, **{"pretrain": False, **modes})


def test_preference_rows(driver):
    rows = driver("openrlhf_rows")
    wrong = {"role": "assistant", "content": "3"}
    whole = {"prompt": [TURN], "chosen": [ANSWER], "rejected": [wrong]}
    for row in (
        {"prompt": "1 + 1 = ?", "chosen": "2", "rejected": "3"},
        {"prompt": [TURN], "chosen": [ANSWER], "rejected": [wrong]},
        {"chosen": [TURN, ANSWER], "rejected": [TURN, wrong]},
    ):
        assert rows.preference(row, chat=True) == whole
    plain = {"prompt": "a", "chosen": "b", "rejected": "c", "margin": 0.5}
    assert rows.preference(plain, chat=False) == plain
    with pytest.raises(rows.RowError):
        rows.preference({"chosen": "b", "rejected": "c"}, chat=True)


def test_conversations_split_where_they_part(driver):
    rows = driver("openrlhf_rows")
    later = [TURN, ANSWER, {"role": "user", "content": "and?"}]
    chosen = [*later, {"role": "assistant", "content": "x"}]
    rejected = [*later, {"role": "assistant", "content": "y"}]
    assert rows.preference({"chosen": chosen, "rejected": rejected}, chat=True)["prompt"] == later


def test_a_label_carries_all_columns(driver):
    rows = driver("openrlhf_rows")
    row = {"prompt": "1 + 1 = ?", "answer": "2", "level": 3, "datasource": "sums"}
    made = rows.verifiable(row, chat=True)
    assert made["input"] == [TURN]
    assert made["datasource"] == "sums"
    label = json.loads(made["label"])
    assert label["prompt"] == "1 + 1 = ?"
    assert label["columns"] == {"answer": "2", "level": 3, "datasource": "sums"}
    assert rows.verifiable({"prompt": "a"}, chat=False) == {
        "input": "a", "label": '{"prompt": "a", "columns": {}}'
    }  # fmt: skip


def test_data_is_written_and_a_bad_row_named(driver, tmp_path):
    data, files = driver("openrlhf_data"), driver("job_files")
    (tmp_path / "train.jsonl").write_text('{"prompt": "a", "completion": "b"}\n\n{"x": 1}\n')
    with pytest.raises(files.JobError, match=r"train\.jsonl:3"):
        data.prepare(job("sft"), tmp_path, tmp_path / "made")
    (tmp_path / "train.jsonl").write_text('{"prompt": "a", "completion": "b"}\n')
    data.prepare(job("sft"), tmp_path, tmp_path / "made")
    (line,) = (tmp_path / "made" / "train.jsonl").read_text().splitlines()
    assert json.loads(line)["input"][0]["content"] == "a"


def test_a_reward_model_without_validation_gets_rows_to_normalize_by(driver, tmp_path):
    data = driver("openrlhf_data")
    pair = '{"prompt": "a", "chosen": "b", "rejected": "c"}\n'
    for count, expected in ((10, 2), (500, 5)):
        (tmp_path / "train.jsonl").write_text(pair * count)
        data.prepare(job("rm"), tmp_path, tmp_path / "made")
        made = (tmp_path / "made" / "validation.jsonl").read_text().splitlines()
        assert len(made) == expected


def test_a_model_without_a_chat_template_is_named(driver, tmp_path):
    models, files = driver("openrlhf_models"), driver("job_files")
    (tmp_path / "tokenizer_config.json").write_text("{}")
    with pytest.raises(files.JobError, match="chat template"):
        models.check_template(str(tmp_path), job("sft"))
    models.check_template(str(tmp_path), job("sft", chat=False))
    models.check_template("org/somewhere", job("sft"))
    (tmp_path / "chat_template.jinja").write_text("{{ messages }}")
    models.check_template(str(tmp_path), job("sft"))


def checkpoint(folder, whole=True):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("mp_rank_00_model_states.pt", "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt"):
        with zipfile.ZipFile(folder / name, "w") as archive:
            archive.writestr("data", "x" * 100)
    if not whole:
        (folder / name).write_bytes((folder / name).read_bytes()[:50])


def test_the_newest_whole_checkpoint_is_resumed_from(driver, tmp_path):
    checkpoints = driver("openrlhf_checkpoints")
    assert checkpoints.ready_to_resume(tmp_path) is None
    checkpoint(tmp_path / "global_step4")
    checkpoint(tmp_path / "global_step10")
    checkpoint(tmp_path / "global_step12", whole=False)
    (tmp_path / "global_step14").mkdir()
    (tmp_path / "global_step10_hf").mkdir()
    (tmp_path / "latest").write_text("global_step12")
    assert checkpoints.ready_to_resume(tmp_path) == "global_step10"
    assert (tmp_path / "latest").read_text() == "global_step10"


def test_model_and_critic_resume_from_the_same_step(driver, tmp_path):
    checkpoints = driver("openrlhf_checkpoints")
    for part, steps in (("_actor", (2, 4)), ("_critic", (2,))):
        for step in steps:
            checkpoint(tmp_path / part / f"global_step{step}")
    assert checkpoints.ready_to_resume(tmp_path) == "global_step2"
    assert (tmp_path / "_actor" / "latest").read_text() == "global_step2"


def test_older_checkpoints_go_only_behind_a_whole_newer_one(driver, tmp_path):
    checkpoints = driver("openrlhf_checkpoints")
    checkpoints.tidy(tmp_path / "none", 1)
    actor, critic = tmp_path / "_actor", tmp_path / "_critic"
    for part in (actor, critic):
        for step in (9, 10):
            checkpoint(part / f"global_step{step}")
        (part / "latest").write_text("global_step10")
    for step in (9, 10):
        (tmp_path / f"global_step{step}_hf").mkdir()
    checkpoint(actor / "global_step11", whole=False)  # being written
    checkpoint(actor / "best_global_step3")
    checkpoint(critic / "global_step10", whole=False)
    checkpoints.tidy(tmp_path, 1)
    assert (actor / "global_step9").is_dir()  # the critic's newest is damaged
    checkpoint(critic / "global_step10")
    (critic / ".gone-global_step8").mkdir()  # a job was killed while it deleted this
    checkpoints.tidy(tmp_path, 1)
    names = [sorted(path.name for path in part.iterdir()) for part in (tmp_path, actor, critic)]
    assert names == [
        ["_actor", "_critic", "attempt-0", "global_step10_hf"],
        ["best_global_step3", "global_step10", "global_step11", "latest"],
        ["global_step10", "latest"],
    ]


def test_upstream_deletes_no_checkpoint_itself(driver):
    run = driver("openrlhf_run")
    words = ["-m", "openrlhf.cli.train_sft", "--model.model_name_or_path", "starforge:tiny"]
    made = run.upstream_words(words, "/tiny")
    assert made == [*words[:3], "/tiny", "--ckpt.max_num", str(sys.maxsize)]


def test_a_job_resumes_or_sets_old_checkpoints_aside(driver, tmp_path, monkeypatch):
    run = driver("openrlhf_run")
    folder = tmp_path / "output" / "checkpoints"
    checkpoint(folder / "global_step4")
    monkeypatch.setenv("STARFORGE_RESUME", "1")
    assert run.begin(folder, 8) == 4
    # The samples of the next rollout belong to the step after it.
    progress = json.loads((tmp_path / "attempt-0" / "progress.json").read_text())
    assert (progress["step"], progress["total"]) == (4, 8)
    monkeypatch.delenv("STARFORGE_RESUME")
    assert run.begin(folder, 8) is None
    assert not folder.exists()
    assert any(tmp_path.glob("output/checkpoints-before-*/global_step4"))


def test_a_job_has_a_ray_of_its_own(driver, tmp_path, monkeypatch):
    ray = driver("private_ray")
    monkeypatch.setenv("RAY_ADDRESS", "10.0.0.1:6379")
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", "/token")
    ray.forget_others()
    assert not {"RAY_ADDRESS", "RAY_AUTH_TOKEN_PATH"} & set(os.environ)
    one, other = ray.environment(tmp_path), ray.environment(tmp_path)
    assert one["TMPDIR"] == one["RAY_TMPDIR"] == str(tmp_path)
    assert one["RAY_AUTH_MODE"] == "token"
    assert len(one["RAY_AUTH_TOKEN"]) == 64
    assert one["RAY_worker_niceness"] == "0"
    assert one["RAY_AUTH_TOKEN"] != other["RAY_AUTH_TOKEN"]


def test_reinforcement_starts_on_a_ray_of_its_own(driver):
    run = driver("openrlhf_run")
    words = ["-m", "openrlhf.cli.train_ppo_ray", "--vllm.num_engines", "1"]
    made = run.command(words, job("ppo"), fake_gpus=True)
    assert made[1].endswith("openrlhf_ray.py")
    assert made[made.index("--fake-gpus") + 1] == "6"
    assert made[made.index("--") + 1 :] == words[1:]
    assert "--fake-gpus" not in run.command(words, job("ppo", gpus=8), fake_gpus=False)
    assert run.command(words, job("sft"), fake_gpus=False)[1:] == words


def test_paths_that_upstream_would_split_are_refused(driver, tmp_path, monkeypatch):
    run, files = driver("openrlhf_run"), driver("job_files")
    run.check_paths(job("sft"))
    odd = tmp_path / "a,b"
    odd.mkdir()
    monkeypatch.setenv("STARFORGE_ATTEMPT_DIR", str(odd))
    with pytest.raises(files.JobError, match="a,b"):
        run.check_paths(job("sft"))


@pytest.fixture
def reward(driver, tmp_path, monkeypatch):
    """Return the adapter with a reward file, and a tokenizer that has two special tokens."""
    (tmp_path / "reward.py").write_text(REWARD)
    monkeypatch.setenv("STARFORGE_REWARD_FILE", str(tmp_path / "reward.py"))
    adapter = driver("openrlhf_reward")
    monkeypatch.setattr(adapter, "_special_tokens", lambda: ("<|end|>", "<|pad|>"))
    return adapter


LABEL = json.dumps({"prompt": "1 + 1 = ?", "columns": {"answer": "2"}})


def test_the_reward_function_gets_prompt_answer_and_columns(reward):
    prompt = "<|user|>1 + 1 = ?<|end|>"
    found = reward.reward_func([prompt + "2<|end|>"], [prompt], [LABEL])
    assert found["rewards"] == found["scores"] == 1.5
    assert found["extra_logs"] == {"rewards/right": 1.0, "rewards/said": 0.5}


def test_a_prompt_that_upstream_cut_at_its_start(reward):
    assert reward.completion_of("lo?answer", "hello?", ()) == "answer"
    assert reward.completion_of("hello?answer<|end|>", "hello?", ("<|end|>",)) == "answer"


def test_the_error_of_a_reward_function_is_kept_for_the_driver(reward, tmp_path):
    with pytest.raises(Exception, match="answer"):
        reward.reward_func(["p2"], ["p"], ['{"prompt": "1 + 1 = ?", "columns": {}}'])
    assert "answer" in (tmp_path / "attempt-0" / "reward-error.txt").read_text()


def test_a_sample_of_upstreams_own_log(driver):
    watch = driver("openrlhf_watch")
    row = watch.sample_of("Sample:\\n1 + 1 = ?\n2\\n\\nReward: 0.5000", 3)
    assert (row["s"], row["completion"], row["reward"]) == (3, "1 + 1 = ?\n2", 0.5)


def test_stand_ins_for_flash_attention_say_what_is_missing(driver, monkeypatch):
    stand_ins = driver("cpu_flash_attention")
    monkeypatch.setattr(sys, "meta_path", [stand_ins.Finder(), *sys.meta_path])
    padding = driver("flash_attn.bert_padding")
    assert driver("flash_attn.utils.distributed").all_gather
    with pytest.raises(RuntimeError, match="GPU"):
        padding.pad_input()
    assert stand_ins.Finder().find_spec("flash_attn_interface") is None


def test_a_module_is_changed_right_after_its_import(driver, tmp_path, monkeypatch):
    patches = driver("cpu_patches")
    (tmp_path / "changed.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(patches.PATCHES, "changed", lambda module: setattr(module, "value", 2))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    patches.install()
    assert driver("changed").value == 2


def test_a_gpu_by_name_is_the_cpu(driver):
    patches = driver("cpu_patches")
    torch = types.SimpleNamespace(device=lambda name: f"<{name}>", float32="f32")
    made = patches.CpuTorch(torch)
    assert made.device("cuda:0") == "<cpu>"
    assert made.float32 == "f32"


def test_a_reward_model_without_a_scoring_layer_ends_the_job(driver, tmp_path):
    models, files = driver("openrlhf_models"), driver("job_files")
    models.check_reward_model("some/hub-id")
    (tmp_path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    with pytest.raises(files.JobError, match="scoring layer"):
        models.check_reward_model(str(tmp_path))
    (tmp_path / "config.json").write_text('{"value_head_prefix": "score"}')
    models.check_reward_model(str(tmp_path))


def model_folder(folder, tokens, **config):
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    vocab = {token: number for number, token in enumerate(tokens)}
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": vocab}}))
    (folder / "chat_template.jinja").touch()
    return str(folder)


def test_a_reward_model_with_another_vocabulary_ends_the_job(driver, tmp_path):
    models, files = driver("openrlhf_models"), driver("job_files")
    model = model_folder(tmp_path / "model", "abc")
    same = model_folder(tmp_path / "same", "abc", value_head_prefix="score")
    other = model_folder(tmp_path / "other", "abcd", value_head_prefix="score")
    words = ["-m", "openrlhf.cli.train_ppo_ray", "--reward.model_name_or_path"]
    models.check(model, [*words, same], job("ppo"))
    models.check("some/hub-id", [*words, other], job("ppo"))
    with pytest.raises(files.JobError, match=r"reward model \(4 tokens\) and model \(3\) differ"):
        models.check(model, [*words, other], job("ppo"))


def test_a_folder_that_is_no_model_is_named(driver, tmp_path):
    models, files = driver("openrlhf_models"), driver("job_files")
    checkpoint(tmp_path / "checkpoints" / "global_step4")
    (tmp_path / "empty").mkdir()
    for name, said in [
        ("none", "does not exist"),
        ("empty", "no config.json"),
        ("checkpoints", "checkpoint of DeepSpeed"),
        ("checkpoints/global_step4", "checkpoint of DeepSpeed"),
    ]:
        with pytest.raises(files.JobError, match=said):
            models.check_model(str(tmp_path / name))
