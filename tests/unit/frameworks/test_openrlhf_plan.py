"""Plans of OpenRLHF: the official command, what is added to it, and how GPUs are divided."""

import json

import msgspec
import pytest

from starforge.catalog.load import load_catalog
from starforge.frameworks import get
from starforge.frameworks.openrlhf.argv import flag, words
from starforge.frameworks.openrlhf.devices import data_parallel, layout
from starforge.lab.context import Reward
from starforge.plan import Difference, InputRef

SFT = [{"prompt": f"{i} + 1 = ?", "completion": f"{i + 1}"} for i in range(8)]
PAIRS = [{"prompt": f"{i}?", "chosen": "yes", "rejected": "no"} for i in range(8)]
PROMPTS = [{"prompt": f"{i} + 1 = ?", "answer": f"{i + 1}"} for i in range(8)]
SIZES = {"prompts_per_step": 4, "group_size": 4, "global_batch_size": 16, "batch_size": 2}
REWARD_MODEL = Reward(model=InputRef(name="reward", kind="job", location="abc"))


def planned(context):
    return get("openrlhf").plan(context)


def rl(make_context, method="grpo", train=PROMPTS, **keys):
    params = SIZES | keys.pop("params", {})
    keys.setdefault("reward", "reward.py")
    return make_context(train, method=f"openrlhf/{method}", params=params, **keys)


def upstream(plan):
    """Return upstream's module and its flags by name."""
    argv = plan.processes[0].argv
    tail = argv[argv.index("--") + 1 :]
    module = tail[[i for i, word in enumerate(tail) if word == "-m"][-1] + 1]
    flags, name = {}, None
    for word in tail[tail.index(module) + 1 :]:
        if word.startswith("--"):
            name, _, value = word.removeprefix("--").partition("=")
            flags[name] = [value] if value else []
        else:
            flags[name].append(word)
    return module, flags


def test_supervised_training_is_the_official_command(make_context):
    context = make_context(SFT, method="openrlhf/sft", params={"global_batch_size": 8},
                           resources="cpu:2")  # fmt: skip
    plan = planned(context)
    (process,) = plan.processes
    assert process.argv[:2] == ["${PYTHON}", "${RECORD}/driver/openrlhf_run.py"]
    module, flags = upstream(plan)
    assert module == "openrlhf.cli.train_sft"
    assert flags["model.model_name_or_path"] == ["${MODEL}"]
    assert flags["train.batch_size"] == ["8"]
    assert flags["data.apply_chat_template"] == []
    assert "adam.lr" not in flags  # upstream's default
    assert plan.total_steps == 2
    assert plan.checkpoints.pattern == "output/checkpoints/global_step*"


def test_several_gpus_train_under_torchrun(make_context):
    plan = planned(make_context(SFT, method="openrlhf/sft", params={"global_batch_size": 8,
                                "batch_size": 2}, resources="gpu:4"))  # fmt: skip
    argv = plan.processes[0].argv
    start = argv.index("--") + 1
    assert argv[start : start + 7] == [
        "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "4",
        "-m", "openrlhf.cli.train_sft",
    ]  # fmt: skip
    _, flags = upstream(plan)
    assert "ds.attn_implementation" not in flags  # FlashAttention, upstream's default
    assert not any("/cpu" in word for word in argv)
    assert not any(file.path.startswith("record/driver/cpu/") for file in plan.files)


def test_without_a_gpu_settings_fit_the_cpu_and_are_shown(make_context):
    plan = planned(rl(make_context, resources="cpu:2"))
    _, flags = upstream(plan)
    assert flags["ds.attn_implementation"] == ["sdpa"]
    assert flags["vllm.sync_backend"] == ["gloo"]
    assert "vllm.enable_sleep" not in flags
    shown = {one.path: one.source for one in plan.differs}
    assert shown["vllm.sync_backend"] == "pin"
    assert plan.parameters["rollout_sleep"] is False
    assert "${RECORD}/driver/cpu" in plan.processes[0].argv
    cpu_files = {file.path for file in plan.files if file.path.startswith("record/driver/cpu/")}
    assert "record/driver/cpu/sitecustomize.py" in cpu_files


def test_what_the_user_chose_is_not_replaced_on_a_cpu(make_context):
    plan = planned(make_context(SFT, method="openrlhf/sft", params={"attention": "eager"}))
    assert upstream(plan)[1]["ds.attn_implementation"] == ["eager"]


@pytest.mark.parametrize(
    ("params", "column"),
    [({}, None), ({"apply_chat_template": False}, "output"),
     ({"apply_chat_template": False, "pretrain_mode": True}, None)],
)  # fmt: skip
def test_the_answers_column_follows_from_the_form_of_the_data(make_context, params, column):
    plan = planned(make_context(SFT, method="openrlhf/sft", params=params))
    assert upstream(plan)[1].get("data.output_key") == ([column] if column else None)


def test_a_reward_model_always_gets_rows_to_normalize_by(make_context):
    _, flags = upstream(planned(make_context(PAIRS, method="openrlhf/rm")))
    assert flags["eval.dataset"] == ["${ATTEMPT}/data/validation.jsonl"]
    _, flags = upstream(planned(make_context(PAIRS, method="openrlhf/dpo")))
    assert "eval.dataset" not in flags
    _, flags = upstream(planned(make_context(PAIRS, method="openrlhf/dpo", validation=PAIRS)))
    assert flags["eval.dataset"] == ["${ATTEMPT}/data/validation.jsonl"]
    assert flags["eval.split"] == ["train"]


def test_no_std_norm_gives_dr_grpo(make_context):
    plain, doctor = (upstream(planned(rl(make_context, params=p)))[1]
                     for p in ({}, {"no_std_norm": True}))  # fmt: skip
    assert plain["algo.advantage.estimator"] == ["group_norm"]
    assert doctor["algo.advantage.estimator"] == ["dr_grpo"]
    assert doctor["algo.advantage.no_std_norm"] == []
    differs = planned(rl(make_context, params={"no_std_norm": True})).differs
    assert {one.path: one.value for one in differs}["algo.advantage.estimator"] == "dr_grpo"


@pytest.mark.parametrize("method", ["ppo", "reinforce-baseline"])
def test_no_std_norm_leaves_other_estimators_alone(make_context, method):
    _, flags = upstream(planned(rl(make_context, method, params={"no_std_norm": True})))
    assert flags.get("algo.advantage.estimator") != ["dr_grpo"]
    assert flags["algo.advantage.no_std_norm"] == []


def test_a_reward_file_goes_through_our_adapter(make_context):
    plan = planned(rl(make_context))
    _, flags = upstream(plan)
    assert flags["reward.remote_url"] == ["${RECORD}/driver/openrlhf_reward.py"]
    assert plan.processes[0].env["STARFORGE_REWARD_FILE"] == "${CODE}/reward.py"
    assert "record/driver/reward_file.py" in {file.path for file in plan.files}
    assert "reward.model_name_or_path" not in flags


def test_a_reward_model_is_upstreams_own(make_context):
    context = msgspec.structs.replace(rl(make_context), reward=REWARD_MODEL)
    plan = planned(context)
    _, flags = upstream(plan)
    assert flags["reward.model_name_or_path"] == ["${REWARD}"]
    assert "reward.remote_url" not in flags
    assert "STARFORGE_REWARD_FILE" not in plan.processes[0].env
    assert [ref.name for ref in plan.inputs] == ["model", "reward", "data.train"]


def test_shared_gpus_hold_everything(make_context):
    context = rl(make_context, resources="gpu:4", params={"rollout_tensor_parallel": 2})
    _, flags = upstream(planned(context))
    for role in ("actor", "ref", "critic", "reward"):
        assert flags[f"{role}.num_gpus_per_node"] == ["4"]
    assert flags["vllm.num_engines"] == ["2"]
    assert flags["vllm.enable_sleep"] == []
    assert "vllm.sync_backend" not in flags


@pytest.mark.parametrize(
    ("method", "params", "expected"),
    [
        ("grpo", {"colocate": False}, (2, 4, [["actor"], ["ref"]])),
        ("grpo", {"colocate": False, "kl_coef": 0}, (4, 4, [["actor"]])),
        ("grpo", {"colocate": False, "colocate_reference": True}, (4, 4, [["actor", "ref"]])),
        ("grpo", {"async_rollout": True, "rollout_engines": 2}, (6, 2, [["actor", "ref"]])),
        (
            "ppo",
            {"colocate": False, "rollout_engines": 2},
            (2, 2, [["actor"], ["ref"], ["critic"]]),
        ),
    ],
)
def test_gpus_are_divided(make_context, method, params, expected):
    context = rl(make_context, method, resources="gpu:8", params=params)
    made = layout(context)
    assert (made.trainers, made.engines, made.groups) == expected
    assert made.trainers * len(made.groups) + made.rollout_gpus <= 8
    assert data_parallel(context) == made.trainers
    _, flags = upstream(planned(context))
    assert "vllm.enable_sleep" not in flags  # nothing makes room for another


@pytest.mark.parametrize(
    ("rows", "params", "steps"),
    [(8, {}, 2), (10, {}, 3), (8, {"epochs": 3}, 6), (8, {"max_rows": 4}, 1),
     (8, {"dynamic_sampling": True}, None)],
)  # fmt: skip
def test_steps_of_reinforcement(make_context, rows, params, steps):
    train = [{"prompt": str(i), "answer": "1"} for i in range(rows)]
    assert planned(rl(make_context, train=train, params=params)).total_steps == steps


def test_the_drivers_config_is_small_and_whole(make_context):
    plan = planned(make_context(SFT, method="openrlhf/sft", params={"lora_rank": 4}))
    files = {file.path: file for file in plan.files}
    job = json.loads(files["record/config.json"].content)
    assert job["kind"] == "sft"
    assert job["data"] == {"train": "train.jsonl"}
    assert job["lora"] is True
    drivers = {path for path in files if path.startswith("record/driver/")}
    assert {"record/driver/openrlhf_rows.py", "record/driver/upstream.py"} <= drivers


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (5e-7, ["--x", "5e-07"]), (-1, ["--x=-1"]), ([-1e-05, 2.0], ["--x", "-0.00001", "2.0"]),
        ("--odd", ["--x=--odd"]), ("a b", ["--x", "a b"]), (["q", "v"], ["--x", "q", "v"]),
    ],
)  # fmt: skip
def test_values_as_words(value, written):
    assert flag("x", value) == written


def test_switches_are_there_or_not():
    config = load_catalog().contract(load_catalog().recipe("openrlhf/sft")).configs["sft"]

    def made(path, value):
        return words([Difference(path=path, value=value, default=False, source="--set")], config)

    assert made("ds.packing_samples", True) == ["--ds.packing_samples"]
    assert made("ds.packing_samples", False) == []
