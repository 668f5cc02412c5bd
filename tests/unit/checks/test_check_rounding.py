"""Learning rates that weights of 16 bit don't feel: the arithmetic, the sample, the warning."""

import json
import struct

import numpy
import pytest

from starforge.checks.rounding import lost_share
from starforge.checks.weights import sample_weights
from starforge.frameworks import get

CODE = "training/rounded-away"
BF16 = {"model_dtype": "bfloat16"}


def to_bfloat16(values: numpy.ndarray) -> numpy.ndarray:
    """Round float32 to the nearest bfloat16 (ties to even); the result is its upper 16 bits."""
    whole = values.astype("<f4").view("<u4").astype("<u8")
    return ((whole + 0x7FFF + ((whole >> 16) & 1)) >> 16).astype("<u2")


def from_bfloat16(raw: numpy.ndarray) -> numpy.ndarray:
    return (raw.astype("<u4") << 16).view("<f4")


def write_model(folder, weights: numpy.ndarray, dtype: str = "BF16", **config):
    """Write a model folder with one matrix and one norm."""
    folder.mkdir()
    said = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"} | config
    (folder / "config.json").write_text(json.dumps(said), "utf-8")
    matrix = to_bfloat16(weights) if dtype == "BF16" else weights.astype("<f4")
    body = matrix.tobytes()
    norm = numpy.ones(8, "<f4").tobytes()
    header = {
        "__metadata__": {"format": "pt"},
        "a.weight": {"dtype": dtype, "shape": [len(weights) // 8, 8],
                     "data_offsets": [0, len(body)]},
        "norm.weight": {"dtype": "F32", "shape": [8],
                        "data_offsets": [len(body), len(body) + len(norm)]},
    }  # fmt: skip
    raw = json.dumps(header).encode()
    content = struct.pack("<Q", len(raw)) + raw + body + norm
    (folder / "model.safetensors").write_bytes(content)
    return str(folder)


def normal(sigma: float, count: int = 80_000) -> numpy.ndarray:
    return numpy.random.default_rng(0).normal(0, sigma, count)


@pytest.mark.parametrize("rate", [1e-6, 1e-5, 1e-4, 1e-3])
def test_the_share_is_what_rounding_really_loses(rate):
    held = from_bfloat16(to_bfloat16(normal(0.02)))
    after = from_bfloat16(to_bfloat16(held.astype("f8") + rate))
    lost = float(numpy.mean(after == held))
    # Exact but for powers of two, whose lower neighbour is nearer.
    assert lost_share([(1, numpy.abs(held.astype("f8")))], rate, 8) == pytest.approx(lost, abs=0.01)


def test_half_the_distance_to_the_neighbour_decides():
    sizes = numpy.array([1.0, 1.99])  # both have neighbours 2^-7 away
    assert lost_share([(2, sizes)], 2**-8, 8) == 1.0
    assert lost_share([(2, sizes)], 2**-8 * 1.01, 8) == 0.0
    assert lost_share([(3, sizes), (1, numpy.array([0.001]))], 2**-9, 8) == 0.75


@pytest.mark.parametrize("dtype", ["BF16", "F32"])
def test_the_sample_is_of_matrices_and_of_all_their_parts(tmp_path, dtype):
    weights = numpy.concatenate([numpy.full(40_000, 0.5), numpy.full(40_000, 0.25)])
    write_model(tmp_path / "model", weights, dtype)
    ((count, sizes),) = sample_weights(tmp_path / "model")
    assert count == 80_000
    assert set(sizes) == {0.5, 0.25}
    assert len(sizes) < 10_000
    (tmp_path / "model" / "model.safetensors").write_bytes(b"cut")
    assert sample_weights(tmp_path / "model") == []


def found(context):
    return [one for one in get(context.recipe.framework).checks(context) if one.code == CODE]


@pytest.mark.parametrize(
    ("keys", "warned"),
    [
        ({"params": {"learning_rate": 1e-6}}, False),
        ({"params": {**BF16, "learning_rate": 1e-6}}, True),
        ({"params": {**BF16, "learning_rate": 1e-5, "bf16": True}, "resources": "gpu:1"}, True),
        ({"params": {**BF16, "learning_rate": 1e-4}}, False),
        ({"params": {**BF16, "learning_rate": 1e-6, "lora": True}}, False),
        ({"params": {"learning_rate": 1e-6}, "config": {"dtype": "float16"}}, True),
        ({"params": {"learning_rate": 1e-5}, "config": {"dtype": "float16"}}, False),
        ({"params": {"learning_rate": 1e-6},
          "config": {"model_init_kwargs": {"dtype": "bfloat16"}}}, True),
        ({"params": {**BF16, "learning_rate": 1e-6}, "config": {"fsdp": "full_shard"},
          "resources": "gpu:2"}, False),
        ({"params": {**BF16, "learning_rate": 1e-6, "bf16": False},
          "config": {"fsdp": "full_shard"}, "resources": "gpu:2"}, True),
        ({"params": {**BF16, "learning_rate": 1e-6}, "config": {"optim": "sgd"}}, False),
        ({"params": {**BF16, "learning_rate": 1e-6}, "model": "starforge:tiny"}, False),
        # The type of a model that is not here is not known.
        ({"params": {"learning_rate": 1e-6}, "config": {"dtype": "auto"}}, False),
    ],
)  # fmt: skip
def test_weights_that_trl_changes_in_place(make_context, keys, warned):
    context = make_context(**{"model": "org/name"} | keys)
    assert bool(found(context)) is warned


def test_the_models_own_weights_decide(make_context, tmp_path):
    large = write_model(tmp_path / "large", normal(0.15), dtype="BF16", torch_dtype="bfloat16")
    small = write_model(tmp_path / "small", normal(0.002), dtype="BF16", torch_dtype="bfloat16")
    rate = {"learning_rate": 5e-5}
    config = {"dtype": "auto"}
    (warning,) = found(make_context(model=large, params=rate, config=config))
    assert warning.severity == "warning"
    assert f"the weights of {large}" in warning.message.en
    assert "91.9%" in warning.message.en
    assert warning.at.key == "dtype"
    assert "`model_dtype: float32`" in warning.hint.en
    assert found(make_context(model=small, params=rate, config=config)) == []


def test_where_the_type_is_written(make_context):
    (warning,) = found(make_context(model="org/name", params={**BF16, "learning_rate": 1e-6}))
    assert (warning.at.file, warning.at.key) == ("experiment.yaml", "params.model_dtype")
    assert "98%" in warning.message.en and "98%" in warning.message.zh


@pytest.mark.parametrize(
    ("method", "params", "config", "keys"),
    [
        ("verl/sft", {"learning_rate": 1e-5}, {}, []),
        ("verl/sft", {"learning_rate": 1e-5, "model_dtype": "bf16"}, {}, ["params.model_dtype"]),
        ("verl/sft", {"learning_rate": 1e-5, "model_dtype": "bf16", "lora_rank": 8}, {}, []),
        ("verl/sft", {"learning_rate": 1e-5, "model_dtype": "bf16"},
         {"optim": {"override_optimizer_config": {"bf16_stochastic_round": True}}}, []),
        ("verl/grpo", {"model_dtype": "bf16"}, {}, ["params.model_dtype"]),
        ("verl/ppo", {}, {"critic": {"fsdp": {"model_dtype": "bf16"}}},
         ["critic.fsdp.model_dtype"]),
        ("openrlhf/sft", {"learning_rate": 1e-6}, {}, []),
        ("nemo-rl/sft", {"learning_rate": 1e-6}, {}, []),
    ],
)  # fmt: skip
def test_weights_of_other_frameworks(make_context, method, params, config, keys):
    context = make_context(
        [{"messages": []}], method=method, model="org/name", params=params, config=config,
        resources="gpu:1",
    )  # fmt: skip
    assert [one.at.key for one in found(context)] == keys
