"""Plans of NeMo-RL: the command, the configuration, what follows from the experiment."""

import json

import pytest
import yaml
from nemo_support import METHODS, Experiment

from starforge.catalog.load import load_catalog


def config_of(plan):
    return yaml.safe_load(content(plan, "record/config.yaml"))


def content(plan, path):
    return next(file.content for file in plan.files if file.path == path)


@pytest.mark.parametrize("method", METHODS)
def test_the_official_command_stands_after_the_dashes(tmp_path, method):
    plan = Experiment(tmp_path, method).plan()
    (process,) = plan.processes
    own, upstream = process.argv[: process.argv.index("--")], process.argv[-3:]
    assert own[:2] == ["${PYTHON}", "${RECORD}/driver/nemo_rl_run.py"]
    recipe = load_catalog().recipe(method)
    assert upstream == [recipe.entry.module, "--config", "${RECORD}/config.yaml"]
    assert ("--method" in own) == (recipe.algorithm in ("maxrl", "opsd"))
    assert ("--reward" in own) == (recipe.scaffold.reward is not None)
    assert process.env["STARFORGE_MODEL"] == "${MODEL}"
    assert process.cwd == "${CODE}"
    drivers = {file.path for file in plan.files if file.path.startswith("record/driver/")}
    assert f"record/driver/nemo_{recipe.algorithm}.py" in drivers or "--method" not in own


def test_the_configuration_is_upstreams_file_and_what_differs(tmp_path):
    plan = Experiment(tmp_path, "nemo-rl/grpo").plan("learning_rate=1e-6", "kl_coef=0")
    config = config_of(plan)
    assert config["defaults"] == "${oc.env:NEMO_RL_HOME}/examples/configs/grpo_math_1B.yaml"
    assert config["policy"]["model_name"] == "${oc.env:STARFORGE_MODEL}"
    assert config["policy"]["optimizer"] == {"kwargs": {"lr": 1e-6}}
    assert config["loss_fn"] == {"reference_policy_kl_penalty": 0.0}
    assert config["data"]["train"] == {
        "dataset_name": "ResponseDataset", "split": "train", "split_validation_size": 0,
        "data_path": "${oc.env:STARFORGE_ATTEMPT_DIR}/data/train.jsonl",
    }  # fmt: skip
    assert config["checkpointing"]["checkpoint_dir"] == "${oc.env:STARFORGE_OUTPUT_DIR}/checkpoints"
    assert config["env"] == {"starforge": {"reward_file": "${oc.env:STARFORGE_CODE}/reward.py"}}
    assert "grpo" in config
    assert "teacher" not in config
    assert json.loads(content(plan, "record/config.json"))["kind"] == "verifiable"


def test_streams_are_where_upstream_writes(tmp_path):
    plan = Experiment(tmp_path, "nemo-rl/dpo").plan()
    tensorboard = next(one for one in plan.metrics if one.format == "tensorboard")
    assert tensorboard.path == "nemo/exp_*/tensorboard/events.out.tfevents.*"
    assert tensorboard.names["validation-default/loss"] == "validation/loss"
    assert plan.checkpoints.pattern == "output/checkpoints/step_*"


def test_gpus_come_from_the_resources(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/sft")
    assert config_of(experiment.plan("global_batch_size=8", profile="gpu:4"))["cluster"] == {
        "gpus_per_node": 4
    }
    assert "cluster" not in config_of(experiment.plan())
    assert experiment.codes(profile="cpu:4") == ["resources/gpus-needed"]


def test_without_validation_data_nothing_is_validated(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/dpo")
    experiment.replace("  validate_first: false\n", "").replace("  validation_steps: 0\n", "")
    config = config_of(experiment.plan())
    assert config["dpo"]["val_period"] == 0
    assert config["dpo"]["val_at_start"] is False
    assert config["checkpointing"]["metric_name"] is None
    assert config["data"]["validation"] is None


def test_with_validation_data_upstreams_own_settings_stay(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/dpo")
    experiment.replace("  validate_first: false\n", "").replace("  validation_steps: 0\n", "")
    experiment.replace("  # validation:", "  validation:")
    experiment.rows({"prompt": "a?", "chosen": "b", "rejected": "c"}, split="validation")
    config = config_of(experiment.plan())
    assert "val_period" not in config["dpo"]
    assert "metric_name" not in config["checkpointing"]
    assert config["data"]["validation"]["split"] == "train"


@pytest.mark.parametrize("method", ["nemo-rl/dpo", "nemo-rl/rm"])
def test_lora_brings_the_worker_that_has_it(tmp_path, method):
    config = config_of(Experiment(tmp_path, method).plan("lora=true"))
    assert config["policy"]["dtensor_cfg"]["_v2"] is True
    assert config["policy"]["dtensor_cfg"]["lora_cfg"]["enabled"] is True


def test_a_lora_section_is_whole(tmp_path):
    """Upstream refuses one with keys missing, and some of its default files have none."""
    lora = config_of(Experiment(tmp_path, "nemo-rl/rm").plan("lora=true"))["policy"]["dtensor_cfg"]
    assert set(lora["lora_cfg"]) == {
        "enabled", "target_modules", "exclude_modules", "match_all_linear", "dim", "alpha",
        "dropout", "dropout_position", "lora_A_init", "use_triton",
    }  # fmt: skip


def test_without_a_reward_file_upstream_checks_the_answers(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/grpo").replace("reward: reward.py\n", "")
    plan = experiment.plan()
    config = config_of(plan)
    assert config["data"]["default"]["env_name"] == "math"
    assert "env" not in config
    assert "--reward" not in plan.processes[0].argv


def test_distillation_takes_its_teacher_and_needs_no_reward(tmp_path):
    plan = Experiment(tmp_path, "nemo-rl/distillation").plan()
    config = config_of(plan)
    assert config["teacher"]["model_name"] == "${oc.env:STARFORGE_TEACHER}"
    assert plan.processes[0].env["STARFORGE_TEACHER"] == "${TEACHER}"
    assert config["env"] == {"starforge": {"reward_file": ""}}
    own = config_of(Experiment(tmp_path, "nemo-rl/opsd").plan())
    assert own["teacher"]["model_name"] == "${policy.model_name}"


def test_a_replaced_section_is_written_whole(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/sft")
    experiment.write("config.yaml", "sft: {_override_: true, only_unmask_final: true}\n")
    plan = experiment.plan()
    section = config_of(plan)["sft"]
    assert section["_override_"] is True
    assert section["only_unmask_final"] is True
    assert section["max_num_steps"] == 8  # from `params`, which come after config.yaml
    assert "val_batches" not in section
    assert "val_batches" not in plan.config["sft"]


def test_what_a_replaced_section_can_not_lose_is_named(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/grpo")
    experiment.write("config.yaml", "policy: {_override_: true}\n")
    assert experiment.codes() == ["nemo-rl/missing-key"]


def test_values_of_parents_arrive(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/grpo")
    experiment.write("config.yaml", "defaults: more/a.yaml\nloss_fn: {ratio_clip_min: 0.1}\n")
    experiment.write("more/a.yaml", "defaults: grpo_math_1B.yaml\nloss_fn: {ratio_clip_max: 0.3}\n")
    plan = experiment.plan()
    assert config_of(plan)["loss_fn"] == {"ratio_clip_min": 0.1, "ratio_clip_max": 0.3}
    assert "code/more/a.yaml" in {file.path for file in plan.files}


def test_interpolations_stay_upstreams(tmp_path):
    experiment = Experiment(tmp_path, "nemo-rl/grpo")
    experiment.write(
        "config.yaml",
        "policy: {generation: {max_new_tokens: '${div:${policy.max_total_sequence_length},2}'}}\n",
    )
    assert config_of(experiment.plan())["policy"]["generation"] == {
        "max_new_tokens": "${div:${policy.max_total_sequence_length},2}"
    }
    experiment.write("config.yaml", "policy: {generation: {max_new_tokens: '${policy.nope}'}}\n")
    assert experiment.codes() == ["config/interpolation"]


@pytest.mark.parametrize(
    ("method", "sets", "steps"),
    [
        ("nemo-rl/sft", [], 8),
        ("nemo-rl/sft", ["max_steps=5"], 5),
        ("nemo-rl/sft", ["global_batch_size=8"], 4),
        ("nemo-rl/rm", ["max_steps=-1"], 8),
        ("nemo-rl/grpo", ["epochs=3"], 3),
        ("nemo-rl/grpo", ["dynamic_sampling=true"], 20),
        ("nemo-rl/grpo", ["dynamic_sampling=true", "max_steps=1000000"], None),
    ],
)
def test_steps(tmp_path, method, sets, steps):
    assert Experiment(tmp_path, method).plan(*sets).total_steps == steps
