"""Saves that fill the disk, what comes after the last step, and rates of the wrong order."""

import json

import pytest

from starforge.checks.learning_rate import check_learning_rate
from starforge.checks.schedule import Checkpoint, Interval, Schedule, checkpoints_kept
from starforge.errors import StarForgeError
from starforge.frameworks import get

CHAT = [{"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}]
PAIRS = [{"prompt": f"{i}?", "chosen": "yes", "rejected": "no"} for i in range(16)]
PROMPTS = [{"prompt": f"{i} + 1 = ?", "answer": f"{i + 1}"} for i in range(16)]
REWARD = {"reward.py": "def reward(prompts, completions):\n    return [0.0] * len(completions)\n"}
VERL_SFT = {"global_batch_size": 4, "batch_size": 2}
OPENRLHF = {"global_batch_size": 8, "batch_size": 2}


@pytest.fixture
def seven_b(tmp_path):
    """Return the folder of a model with 14 GB of 16-bit weights (sparse: no disk is taken)."""
    folder = tmp_path / "seven"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"dtype": "bfloat16"}), "utf-8")
    with (folder / "model.safetensors").open("wb") as stream:
        stream.truncate(14_000_000_000)
    return str(folder)


def general(context):
    """Return the findings of a framework's checks that all frameworks share."""
    return [f for f in get(context.recipe.framework).checks(context) if f.code[:9] == "training/"]


SIZES = [
    # Case 55: 2000 steps, saved every 20, nothing removed.
    ("trl/sft", {"max_steps": 2000, "save_steps": 20, "save_limit": None, "log_steps": 1}, 1,
     "100 × 84.0 GB = 8400 GB"),
    ("trl/sft", {"max_steps": 2000, "save_steps": 20, "save_limit": None, "log_steps": 1,
                 "model_dtype": "bfloat16"}, 1, "100 × 42.0 GB = 4200 GB"),
    ("trl/sft", {"max_steps": 100, "save_steps": 0.25, "save_limit": None, "log_steps": 1}, 1,
     "4 × 84.0 GB = 336 GB"),
    ("openrlhf/sft", OPENRLHF | {"save_steps": 1, "epochs": 1000, "save_limit": 100}, 16,
     "100 × 98.0 GB = 9800 GB"),
    ("openrlhf/sft", OPENRLHF | {"save_steps": 1, "epochs": 50, "lora_rank": 8, "save_limit": 100},
     16, "100 × 14.0 GB = 1400 GB"),
    ("verl/sft", VERL_SFT | {"save_steps": 1, "max_steps": 4, "save_limit": None}, 16,
     "4 × 84.0 GB = 336 GB"),
    ("verl/sft", VERL_SFT | {"save_steps": 3, "max_steps": 4, "save_limit": None}, 16,
     "2 × 84.0 GB = 168 GB"),
    ("verl/sft", VERL_SFT | {"save_steps": 1, "max_steps": 4, "lora_rank": 8, "save_limit": None},
     16, "4 × 28.0 GB = 112 GB"),
    ("nemo-rl/sft", {"save_steps": 1, "save_limit": 2, "global_batch_size": 1}, 16,
     "3 × 84.0 GB = 252 GB"),
    ("nemo-rl/sft", {"save_steps": 1, "save_limit": 2, "global_batch_size": 1,
                     "save_optimizer": False}, 16, "3 × 28.0 GB = 84 GB"),
]  # fmt: skip


@pytest.mark.parametrize("case", SIZES, ids=lambda case: f"{case[0]} {case[3]}")
def test_the_arithmetic_of_checkpoints(make_context, seven_b, case):
    method, params, rows, arithmetic = case
    context = make_context(CHAT * rows, method=method, params=params, model=seven_b,
                           resources="gpu:1")  # fmt: skip
    (found,) = general(context)
    assert found.code == "training/many-checkpoints"
    assert found.severity == "warning"
    assert arithmetic in found.message.en
    assert arithmetic in found.message.zh
    assert found.at.key


def test_a_critic_is_saved_too(make_context, seven_b):
    params = {"prompts_per_step": 4, "mini_batch_size": 4, "max_steps": 4, "save_steps": 2,
              "save_limit": None}  # fmt: skip
    for method, size in (("verl/grpo", "2 × 84.0 GB"), ("verl/ppo", "2 × 168.0 GB")):
        context = make_context(PROMPTS, method=method, params=params, model=seven_b,
                               resources="gpu:1", reward="reward.py", files=REWARD)  # fmt: skip
        (found,) = [f for f in general(context) if f.code == "training/many-checkpoints"]
        assert size in found.message.en


def test_exported_folders_count(make_context, seven_b):
    params = OPENRLHF | {"save_steps": 1, "epochs": 8, "save_limit": 3}
    context = make_context(CHAT * 16, method="openrlhf/sft", params=params, model=seven_b,
                           config={"ckpt": {"save_hf": True}}, resources="gpu:1")  # fmt: skip
    (found,) = general(context)
    assert "3 × 112.0 GB = 336 GB" in found.message.en


def test_the_best_checkpoint_and_every_one_that_was_count(make_context, seven_b):
    params = {"prompts_per_step": 4, "group_size": 4, "global_batch_size": 16, "batch_size": 4,
              "epochs": 2, "save_steps": 2, "save_limit": 2, "validation_steps": 2}  # fmt: skip
    cases = {"none": "2 × 98.0 GB = 196 GB", "reward": "3 × 98.0 GB = 294 GB"}
    for key, arithmetic in cases.items():
        context = make_context(
            PROMPTS, method="openrlhf/grpo", params=params, model=seven_b, resources="gpu:1",
            reward="reward.py", files=REWARD, validation=PROMPTS,
            config={"ckpt": {"best_metric_key": key}},
        )  # fmt: skip
        (found,) = [f for f in general(context) if f.code == "training/many-checkpoints"]
        assert arithmetic in found.message.en
    context = make_context(
        PROMPTS, method="openrlhf/grpo", params=params, model=seven_b, resources="gpu:1",
        reward="reward.py", files=REWARD, validation=PROMPTS, config={"ckpt": {"save_hf": True}},
    )  # fmt: skip
    (found,) = [f for f in general(context) if f.code == "training/many-checkpoints"]
    assert "3 × 112.0 GB + 3 × 14.0 GB = 378 GB" in found.message.en


def test_how_much_is_much_is_a_setting(make_context, seven_b, monkeypatch):
    params = {"max_steps": 100, "save_steps": 50, "save_limit": 1, "log_steps": 1}
    context = make_context(params=params, model=seven_b)
    assert [one.code for one in general(context)] == ["training/many-checkpoints"]
    for written in ("500GB", "500000000000"):
        monkeypatch.setenv("STARFORGE_CHECKPOINT_SPACE", written)
        assert general(context) == []
    monkeypatch.setenv("STARFORGE_CHECKPOINT_SPACE", "plenty")
    with pytest.raises(StarForgeError, match="plenty"):
        general(context)


def linear(steps, start=0.1):
    kwargs = {"start_factor": start, "end_factor": 1.0, "total_iters": steps}
    first = {"name": "torch.optim.lr_scheduler.LinearLR", "kwargs": kwargs}
    rest = {
        "name": "torch.optim.lr_scheduler.ConstantLR",
        "kwargs": {"factor": 1.0, "total_iters": 99},
    }
    return {"policy": {"scheduler": [first, rest, {"milestones": [steps]}]}}


def megatron(steps):
    own = {"enabled": True, "scheduler": {"lr_warmup_iters": steps}}
    return {"policy": {"dtensor_cfg": {"enabled": False}, "megatron_cfg": own}}


@pytest.mark.parametrize(
    ("config", "codes"),
    [
        (linear(4), ["training/long-warmup"]),
        (linear(3), []),
        (linear(8, start=1.0), []),
        (megatron(4), ["training/long-warmup"]),
        (megatron(3), []),
    ],
)  # fmt: skip
def test_warm_up_of_nemo_rl(make_context, config, codes):
    params = {"global_batch_size": 4, "batch_size": 4, "epochs": 1}
    context = make_context(CHAT * 16, method="nemo-rl/sft", params=params, config=config,
                           resources="gpu:1")  # fmt: skip
    assert [one.code for one in general(context)] == codes


@pytest.mark.parametrize(
    "params",
    [{"max_steps": 2000, "save_steps": 20, "save_limit": None, "log_steps": 1, "lora": True},
     {"max_steps": 2000, "save_strategy": "no", "log_steps": 1}],
)  # fmt: skip
def test_small_or_no_checkpoints_say_nothing(make_context, seven_b, params):
    assert general(make_context(params=params, model=seven_b)) == []


def test_a_model_that_is_not_here_has_no_size(make_context):
    params = {"max_steps": 2000, "save_steps": 20, "save_limit": None, "log_steps": 1}
    assert general(make_context(params=params, model="org/name")) == []


def test_free_room_of_this_machine_is_told_only_where_it_does_not_do(
    make_context, seven_b, monkeypatch
):
    from types import SimpleNamespace

    from starforge.checks import schedule

    params = {"max_steps": 2000, "save_steps": 20, "save_limit": None, "log_steps": 1}
    context = make_context(params=params, model=seven_b)
    for free, told in ((500e9, True), (9e12, False)):
        usage = SimpleNamespace(free=free)
        monkeypatch.setattr(schedule.shutil, "disk_usage", lambda _, usage=usage: usage)
        (found,) = general(context)
        assert ("500 GB free" in found.message.en) is told


@pytest.mark.parametrize(
    ("total", "every", "last", "kept", "count"),
    [
        (100, 20, False, None, 5), (100, 30, False, None, 3), (100, 30, True, None, 4),
        (100, 25, True, None, 4), (100, 20, True, 2, 2), (100, 0.5, False, None, 2),
        (100, 200, False, None, 0), (100, 200, True, None, 1), (None, 20, True, 3, 3),
        (None, 20, True, None, None), (100, None, True, None, 1), (100, -1, False, 2, 0),
    ],
)  # fmt: skip
def test_checkpoints_kept(total, every, last, kept, count):
    one = Checkpoint(weights=4, optimizer=8)
    schedule = Schedule(total=total, save=Interval("save", every), save_last=last, kept=kept,
                        checkpoint=one)  # fmt: skip
    assert checkpoints_kept(schedule) == count


LATE = [
    ("training/no-checkpoint", "openrlhf/sft", OPENRLHF | {"epochs": 1, "save_steps": 3},
     OPENRLHF | {"epochs": 1, "save_steps": 2}),
    ("training/never-validated", "openrlhf/sft", OPENRLHF | {"epochs": 1, "validation_steps": 3},
     OPENRLHF | {"epochs": 1, "validation_steps": 2}),
    ("training/never-validated", "nemo-rl/rm", {"global_batch_size": 8, "validation_steps": 3},
     {"global_batch_size": 8, "validation_steps": 2}),
    ("training/few-logs", "openrlhf/sft", OPENRLHF | {"epochs": 1, "log_steps": 3},
     OPENRLHF | {"epochs": 1, "log_steps": 1}),
    ("training/long-warmup", "verl/sft", VERL_SFT | {"max_steps": 4, "warmup_steps": 4},
     VERL_SFT | {"max_steps": 4, "warmup_steps": 3}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "method", "bad", "good"), LATE)
def test_what_would_come_after_the_last_step(make_context, code, method, bad, good):
    rows = PAIRS if method.endswith("rm") else CHAT * 16
    (found,) = general(make_context(rows, method=method, params=bad, validation=rows))
    assert found.code == code
    name = found.at.key.partition(".")[2]
    assert f"`{name}`" in found.message.en and str(bad[name]) in found.message.en
    assert general(make_context(rows, method=method, params=good, validation=rows)) == []


def test_trl_validates_by_steps_at_the_end_too_unless_told_to_wait(make_context):
    params = {"max_steps": 5, "log_steps": 1, "validation_strategy": "steps",
              "validation_steps": 100}  # fmt: skip
    assert general(make_context(params=params, validation=CHAT)) == []
    late = make_context(params=params, validation=CHAT, config={"eval_delay": 6})
    assert [f.code for f in general(late)] == ["training/never-validated"]


RATES = [
    ("trl/sft", {"lora": True, "learning_rate": 2e-5}, "low", "all weights"),
    ("trl/sft", {"lora": True}, "low", "all weights"),  # the default is for all weights
    ("trl/sft", {"learning_rate": 2e-4}, "high", "for LoRA"),
    ("trl/dpo", {"lora": True, "learning_rate": 1e-6}, "low", "all weights"),
    ("trl/dpo", {"learning_rate": 2e-4}, "high", "for LoRA"),
    ("trl/grpo", {"lora": True}, "low", "all weights"),
    ("trl/grpo", {"learning_rate": 1e-4}, "high", "for LoRA"),
    ("verl/sft", {"lora_rank": 8, "learning_rate": 1e-5}, "low", "all weights"),
    ("verl/grpo", {"lora_rank": 8}, "low", "all weights"),
    ("openrlhf/sft", {"lora_rank": 8}, "low", "all weights"),
    ("openrlhf/grpo", {"learning_rate": 1e-2}, "high", None),
    ("nemo-rl/grpo-lora", {"learning_rate": 1e-6}, "low", "all weights"),
    ("nemo-rl/sft", {"learning_rate": 1e-3}, "high", "for LoRA"),
]


@pytest.mark.parametrize(("method", "params", "side", "other"), RATES)
def test_learning_rates_of_the_wrong_order(make_context, method, params, side, other):
    context = make_context(CHAT, method=method, params=params, model="org/name")
    (found,) = check_learning_rate(context)
    assert found.code == "training/learning-rate"
    assert found.severity == "warning"
    assert f" is {side} for " in found.message.en
    assert (other or "usual") in found.hint.en
    assert ("；" in found.hint.zh) is (other is not None)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("trl/sft", {"lora": True, "learning_rate": 2e-4}),
        ("trl/dpo", {"lora": True, "learning_rate": 1e-5}),
        ("trl/grpo", {"lora": True, "learning_rate": 1e-5}),
        ("verl/grpo", {"lora_rank": 8, "learning_rate": 3e-5}),
        ("openrlhf/dpo", {"lora_rank": 8, "learning_rate": 1e-5}),
    ],
)
def test_usual_rates_say_nothing(make_context, method, params):
    context = make_context(CHAT, method=method, params=params, model="org/name")
    assert list(check_learning_rate(context)) == []


def test_no_default_of_the_catalog_is_of_the_wrong_order(make_context):
    from starforge.catalog.load import load_catalog

    methods = [name for name in load_catalog().names()
               if name.startswith(("trl/", "verl/", "openrlhf/", "nemo-rl/"))]  # fmt: skip
    assert len(methods) > 20
    for method in methods:
        context = make_context(CHAT, method=method, model="org/name")
        assert list(check_learning_rate(context)) == [], method


LENGTHS = [
    ("verl/grpo", {"max_prompt_tokens": 512, "max_completion_tokens": 512},
     "actor_rollout_ref.rollout.max_model_len", 1023, 1024, " = 1024 tokens"),
    ("nemo-rl/grpo", {"max_model_tokens": 512}, "policy.generation.vllm_cfg.max_model_len", 511,
     512, "`max_model_tokens` 512 tokens"),
]  # fmt: skip


@pytest.mark.parametrize("case", LENGTHS, ids=lambda case: case[0])
def test_sequences_against_the_engine_that_samples_them(make_context, case):
    method, params, key, short, enough, told = case
    for limit, wrong in ((short, True), (enough, False)):
        context = make_context(PROMPTS, method=method, params=params, reward="reward.py",
                               files=REWARD, sets=(f"{key}={limit}",))  # fmt: skip
        found = [f for f in general(context) if f.code == "training/lengths"]
        assert len(found) == wrong
        assert all(told in f.message.en and f.at.key == key for f in found)


def test_validation_data_that_nemo_rl_never_looks_at(make_context):
    off = {"validation_steps": 0, "validate_first": False}
    for params, codes in (
        (off, ["nemo-rl/validation-unused"]),
        (off | {"validate_last": True}, []),
    ):
        context = make_context(CHAT * 40, method="nemo-rl/sft", params=params, validation=CHAT)
        found = get("nemo-rl").checks(context)
        assert [f.code for f in found if "validation" in f.code] == codes
