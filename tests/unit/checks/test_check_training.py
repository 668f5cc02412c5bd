"""Training settings and resources: each rule speaks on a bad example only."""

import pytest

from starforge.checks.policies import check_policies
from starforge.checks.resources import check_resources
from starforge.checks.steps import total_steps
from starforge.checks.training import check_training
from starforge.frameworks import get

TEXTS = [{"text": "a"}, {"text": "b"}]


def findings(context) -> list:
    own = get(context.recipe.framework).checks(context)
    return [*check_training(context), *own, *check_resources(context), *check_policies(context)]


def codes(context) -> list[str]:
    return [f.code for f in findings(context)]


@pytest.fixture(autouse=True)
def plain_cpu(monkeypatch):
    """Check as on a CPU without instructions for bfloat16."""
    monkeypatch.setattr("starforge.checks.training.cpu_is_fast_in_bfloat16", lambda: False)


QUIET = {"log_steps": 1}  # eight rows are few steps


@pytest.mark.parametrize(
    ("code", "bad", "good"),
    [
        ("training/no-steps", {"params": {"epochs": 0}},
         {"params": {"epochs": 0, "max_steps": 2}}),
        ("training/no-steps",
         {"config": {"dataloader_drop_last": True}, "params": {"batch_size": 16}},
         {"config": {"dataloader_drop_last": True}, "params": {"batch_size": 8}}),
        ("training/validation-without-data", {"params": {"validation_strategy": "epoch"}},
         {"params": {"validation_strategy": "epoch"}, "validation": TEXTS}),
        ("training/validation-unused", {"validation": TEXTS},
         {"params": {"validation_strategy": "epoch"}, "validation": TEXTS}),
        ("training/save-best", {"params": {"save_best": True}},
         {"params": {"save_best": True, "validation_strategy": "epoch", "save_strategy": "epoch"},
          "validation": TEXTS}),
        ("training/save-best",
         {"params": {"save_best": True, "validation_strategy": "epoch"}, "validation": TEXTS},
         {"params": {"save_best": True, "validation_strategy": "steps", "save_steps": 4,
                     "validation_steps": 2}, "validation": TEXTS}),
        ("training/save-best",
         {"params": {"save_best": True, "validation_strategy": "steps", "save_steps": 5,
                     "validation_steps": 2}, "validation": TEXTS},
         {"params": {"save_best": True, "validation_strategy": "steps", "save_steps": 0.5,
                     "validation_steps": 0.25}, "validation": TEXTS}),
        ("training/precision", {"config": {"bf16": True, "fp16": True}, "resources": "gpu:1"},
         {"config": {"bf16": True}, "resources": "gpu:1"}),
        ("training/half-precision-on-cpu", {"params": {"bf16": True}}, {"params": {"bf16": False}}),
        ("training/half-precision-on-cpu", {"config": {"fp16": True}},
         {"config": {"fp16": True}, "resources": "gpu:1"}),
        ("training/learning-rate", {"params": {"learning_rate": 0.1}, "model": "org/name"},
         {"params": {"learning_rate": 1e-4}, "model": "org/name"}),
        ("training/learning-rate",
         {"params": {"learning_rate": 1e-6, "lora": True}, "model": "org/name"},
         {"params": {"learning_rate": 2e-4, "lora": True}, "model": "org/name"}),
        ("training/long-warmup", {"params": {"max_steps": 50, "warmup_steps": 100}},
         {"params": {"max_steps": 50, "warmup_steps": 0.1}}),
        ("training/few-logs", {"params": {"max_steps": 5, "log_steps": 10}},
         {"params": {"max_steps": 5, "log_steps": 0.2}}),
        ("training/loss-needs-columns", {"params": {"assistant_only": True}, "train": TEXTS},
         {"params": {"assistant_only": True}}),
        ("training/loss-needs-columns", {"params": {"completion_only": True}},
         {"params": {"completion_only": True}, "train": [{"prompt": "a", "completion": "b"}]}),
        ("resources/sharded-on-one", {"config": {"fsdp": "full_shard"}, "resources": "gpu:1"},
         {"config": {"fsdp": "full_shard"}, "resources": "gpu:2"}),
        ("experiment/policy-range", {"policies": {"kl_explosion": 0.5}},
         {"policies": {"kl_explosion": 0, "length_explosion": 2}}),
        ("experiment/policy-range", {"policies": {"retries": -1}},
         {"policies": {"retries": 0, "no_signal": 0}}),
        ("resources/budget-below-limit", {"policies": {"budget": "1h", "time_limit": "2h"}},
         {"policies": {"budget": "2h", "time_limit": "2h"}}),
        ("resources/short-time-limit", {"policies": {"time_limit": 10}},
         {"policies": {"time_limit": "1h"}}),
        ("resources/short-budget", {"policies": {"budget": 2}}, {"policies": {"budget": "2h"}}),
        ("resources/short-stalled", {"policies": {"stalled": 10}},
         {"policies": {"stalled": "30m"}}),
    ],
)  # fmt: skip
def test_rule(make_context, code, bad, good):
    bad, good = ({**case, "params": QUIET | case.get("params", {})} for case in (bad, good))
    context = make_context(**bad)
    found = findings(context)
    assert [f.code for f in found] == [code]
    assert found[0].message.en != found[0].message.zh
    assert found[0].at.key is not None
    assert codes(make_context(**good)) == []


def test_bf16_is_fine_on_a_cpu_that_is_fast_in_it(make_context, monkeypatch):
    monkeypatch.setattr("starforge.checks.training.cpu_is_fast_in_bfloat16", lambda: True)
    assert codes(make_context(params=QUIET | {"bf16": True})) == []
    assert codes(make_context(params=QUIET, config={"fp16": True})) == [
        "training/half-precision-on-cpu"
    ]


def test_a_finding_points_at_the_parameter_as_the_user_wrote_it(make_context):
    (found,) = check_training(make_context(params={"epochs": 0, "log_steps": 1}))
    assert found.at.file == "experiment.yaml"
    assert found.at.key == "params.epochs"
    assert found.at.line == 1


def test_few_cpus_and_gpus(make_context):
    import msgspec

    context = make_context(params=QUIET)
    needs = msgspec.structs.replace(context.recipe.minimum, cpus=4, gpus=2)
    recipe = msgspec.structs.replace(context.recipe, minimum=needs)
    context = msgspec.structs.replace(context, recipe=recipe)
    assert codes(context) == ["resources/gpus-needed", "resources/few-cpus"]


def test_large_model_without_gpu_and_many_checkpoints(make_context, tmp_path):
    model = tmp_path / "big"
    model.mkdir()
    (model / "config.json").write_text('{"architectures": ["X"]}')
    with (model / "model.safetensors").open("wb") as stream:
        stream.truncate(16_000_000_000)  # sparse: takes no space
    params = {"max_steps": 2000, "save_steps": 20, "save_limit": None, "log_steps": 1}
    context = make_context(model=str(model), params=params)
    many, large = findings(context)
    assert many.code == "training/many-checkpoints"
    assert "100 × 96.0 GB = 9600 GB" in many.message.en
    assert "8 billion parameters × (4 bytes of weights + 8 of the optimizer)" in many.message.en
    assert large.code == "resources/large-model-on-cpu"
    assert "16.0 GB" in large.message.en
    kept = {**params, "save_limit": 1, "save_steps": 1000, "model_dtype": "bfloat16"}
    assert codes(make_context(model=str(model), params=kept, resources="gpu:1")) == []


@pytest.mark.parametrize(
    ("params", "config", "resources", "steps"),
    [
        ({"max_steps": 7}, {}, "local", 7),
        ({"epochs": 1, "batch_size": 8}, {}, "local", 1),
        ({"epochs": 2, "batch_size": 3}, {}, "local", 6),
        ({"epochs": 2, "batch_size": 3}, {"dataloader_drop_last": True}, "local", 4),
        ({"epochs": 1, "batch_size": 1, "gradient_accumulation": 3}, {}, "local", 3),
        ({"epochs": 0.5, "batch_size": 1}, {}, "local", 4),
        ({"epochs": 1, "batch_size": 2}, {}, "gpu:2", 2),
        ({"epochs": 1, "packing": True}, {}, "local", None),
    ],
)
def test_total_steps(make_context, params, config, resources, steps):
    assert total_steps(make_context(params=params, config=config, resources=resources)) == steps


def test_methods_that_do_not_train_are_left_alone(make_context):
    context = make_context(method="custom/custom", model=None, files={"train.sh": "true"},
                           config={"learning_rate": 5.0, "bf16": True})  # fmt: skip
    assert codes(context) == []
