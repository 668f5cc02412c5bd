"""Model folders: whole ones and every way of being broken."""

import json
import struct
from pathlib import Path

import pytest

from starforge.checks.model import check_model, safetensors_whole, weight_bytes, weight_files


def safetensors(path: Path, numbers: int = 4, cut: int = 0) -> None:
    header = {"w": {"dtype": "F32", "shape": [numbers], "data_offsets": [0, 4 * numbers]}}
    text = json.dumps(header | {"__metadata__": {"format": "pt"}}).encode()
    data = struct.pack("<Q", len(text)) + text + bytes(4 * numbers)
    path.write_bytes(data[: len(data) - cut])


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    (folder / "tokenizer.json").write_text("{}")
    (folder / "tokenizer_config.json").write_text('{"chat_template": "{{ messages }}"}')
    safetensors(folder / "model.safetensors")
    return folder


def codes(context) -> list[str]:
    return [f.code for f in check_model(context)]


def test_a_whole_folder_is_fine(make_context, model):
    assert codes(make_context(model=str(model))) == []
    assert weight_bytes(model) == (model / "model.safetensors").stat().st_size


def test_the_builtin_model_is_not_looked_for(make_context):
    assert codes(make_context(model="starforge:tiny")) == []


def test_missing_config(make_context, model):
    (model / "config.json").unlink()
    (found,) = check_model(make_context(model=str(model)))
    assert found.code == "model/no-config"
    assert found.at.key == "model"
    assert found.at.line == 1


@pytest.mark.parametrize(
    ("name", "inside"),
    [("adapter_config.json", "adapter"), ("q8.gguf", "GGUF"), ("inner/config.json", "`inner`")],
)
def test_missing_config_says_what_the_folder_is_instead(make_context, model, name, inside):
    (model / "config.json").unlink()
    (model / name).parent.mkdir(exist_ok=True)
    (model / name).write_text("{}")
    (found,) = check_model(make_context(model=str(model)))
    assert inside in found.hint.en
    assert inside.replace("adapter", "适配器") in found.hint.zh


@pytest.mark.parametrize(
    ("file", "framework"),
    [
        ("model_world_size_2_rank_0.pt", "verl"),
        ("actor/model_world_size_1_rank_0.pt", "verl"),
        ("global_step_4/actor/model_world_size_1_rank_0.pt", "verl"),
        ("mp_rank_00_model_states.pt", "DeepSpeed"),
        ("_actor/global_step3/mp_rank_00_model_states.pt", "DeepSpeed"),
        ("step_10/training_info.json", "NeMo-RL"),
    ],
)
def test_a_checkpoint_that_only_its_framework_reads_is_told(
    make_context, tmp_path, file, framework
):
    folder = tmp_path / "checkpoint"
    (folder / file).parent.mkdir(parents=True)
    (folder / file).touch()
    (found,) = check_model(make_context(model=str(folder)))
    assert found.code == "model/no-config"
    assert f"it is a checkpoint of {framework}" in found.hint.en and "`job:ID`" in found.hint.en
    assert f"这是 {framework} 的检查点" in found.hint.zh


@pytest.mark.parametrize("content", ['{"architectures": ["Ll', "[]", "{}", '{"architectures": []}'])
def test_broken_config(make_context, model, content):
    (model / "config.json").write_text(content)
    assert codes(make_context(model=str(model))) == ["model/bad-config"]


def test_missing_weights_and_tokenizer_come_together(make_context, model):
    (model / "model.safetensors").unlink()
    (model / "tokenizer.json").unlink()
    assert codes(make_context(model=str(model))) == ["model/no-weights", "model/no-tokenizer"]


def test_a_missing_shard_is_named(make_context, model):
    (model / "model.safetensors").unlink()
    safetensors(model / "model-1.safetensors")
    weights = {"a": "model-1.safetensors", "b": "model-2.safetensors"}
    index = model / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": weights}))
    (found,) = check_model(make_context(model=str(model)))
    assert found.code == "model/no-weights"
    assert "1 of 2" in found.message.en
    assert "model-2.safetensors" in found.message.en
    index.write_text("{")
    assert weight_files(model)[1] is not None


@pytest.mark.parametrize("cut", [1, 8, 60])
def test_weights_cut_short(make_context, model, cut):
    safetensors(model / "model.safetensors", cut=cut)
    assert codes(make_context(model=str(model))) == ["model/damaged-weights"]


def test_damage_of_any_kind_is_not_a_traceback(tmp_path):
    for name, data in {
        "empty": b"", "short": b"\x01\x02", "huge": struct.pack("<Q", 2**62) + b"{}",
        "text": struct.pack("<Q", 2) + b"xx", "list": struct.pack("<Q", 2) + b"[]",
        "shape": struct.pack("<Q", 8) + b'{"a": 1}',
    }.items():  # fmt: skip
        (tmp_path / name).write_bytes(data)
        assert not safetensors_whole(tmp_path / name), name
    assert not safetensors_whole(tmp_path / "missing")


def test_messages_need_a_chat_template(make_context, model):
    (model / "tokenizer_config.json").write_text("{}")
    assert codes(make_context(model=str(model))) == ["model/no-chat-template"]
    # Any of these makes it fine: text rows, a template of the experiment, one of the model.
    assert codes(make_context([{"text": "a"}], model=str(model))) == []
    template = {"params": {"chat_template": "chat.jinja"}}
    assert codes(make_context(model=str(model), **template)) == []
    (model / "chat_template.jinja").write_text("{{ messages }}")
    assert codes(make_context(model=str(model))) == []


def test_custom_jobs_may_use_any_folder(make_context, tmp_path):
    (tmp_path / "anything").mkdir()
    context = make_context(
        method="custom/custom", model=str(tmp_path / "anything"), files={"train.sh": "true"}
    )
    assert codes(context) == []
