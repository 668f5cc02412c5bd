"""Where the config of a model is looked for, and what of its folder is copied."""

import json
import os

import pytest
from models import make_model

from starforge.errors import StarForgeError
from starforge.plan import InputRef
from starforge.smoke import standin


def ref(kind, location, name="model"):
    return InputRef(name=name, kind=kind, location=location)


def test_a_folder_has_its_config(tmp_path):
    folder = make_model(tmp_path / "model")
    assert standin.source_of(ref("path", str(folder))) == folder
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink()
    assert standin.source_of(ref("path", str(folder))) is None, "nothing without a tokenizer"


def test_a_hub_id_has_it_in_the_cache_of_downloads(tmp_path, monkeypatch):
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    assert standin.source_of(ref("hub", "org/name")) is None
    cached = tmp_path / "hub" / "models--org--name"
    make_model(cached / "snapshots" / "abc123")
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("abc123\n")
    assert standin.source_of(ref("hub", "org/name")) == cached / "snapshots" / "abc123"


def test_a_job_of_this_machine_has_its_model(tmp_path, monkeypatch):
    monkeypatch.setenv("STARFORGE_HOME", str(tmp_path))
    model = make_model(tmp_path / "jobs" / "abc" / "output" / "model")
    assert standin.source_of(ref("job", "abc")) == model
    assert standin.source_of(ref("job", "abc@best")) is None
    assert standin.source_of(ref("registry", "name@1")) is None


def test_everything_but_weights_is_copied(tmp_path):
    folder = make_model(tmp_path / "model", auto_map={"AutoModel": "modeling.Own"})
    (folder / "modeling.py").write_text("class Own: ...\n")
    (folder / "model.safetensors.index.json").write_text("{}")
    (folder / "original").mkdir()
    (folder / "original" / "consolidated.pth").write_bytes(b"0" * 10)
    (folder / "additional_chat_templates").mkdir()
    (folder / "additional_chat_templates" / "tools.jinja").write_text("{{ 1 }}")
    standin.copy_small_files(folder, tmp_path / "copy")
    copied = {os.fspath(p.relative_to(tmp_path / "copy"))
              for p in (tmp_path / "copy").rglob("*") if p.is_file()}  # fmt: skip
    assert copied == {"config.json", "tokenizer.json", "tokenizer_config.json", "modeling.py",
                      "additional_chat_templates/tools.jinja"}  # fmt: skip


def test_a_model_without_a_config_here_is_the_tiny_one(tmp_path):
    made = standin.Maker(tmp_path, "").make(ref("hub", "org/name"))
    assert (made.kind, made.location, made.exact) == ("tiny", standin.TINY, False)
    assert made.ref() == ref("builtin", standin.TINY)
    own = standin.Maker(tmp_path, "").make(ref("builtin", standin.TINY))
    assert own.exact, "what the experiment itself names"


def test_a_given_model_says_its_sizes(tmp_path):
    folder = make_model(tmp_path / "model", max_position_embeddings=512)
    made = standin.given(ref("hub", "org/name"), folder)
    assert (made.kind, made.vocabulary, made.context, made.exact) == ("given", 258, 512, True)
    with pytest.raises(StarForgeError, match="not a model folder"):
        standin.given(ref("hub", "org/name"), tmp_path)


def test_a_config_that_is_no_json_is_one_clear_error(tmp_path):
    folder = make_model(tmp_path / "model")
    (folder / "config.json").write_text("{not json")
    with pytest.raises(StarForgeError, match="can't be read"):
        standin.read_config(folder)


def test_sizes_of_a_model_with_parts():
    config = {"text_config": {"vocab_size": 100, "max_position_embeddings": 64}}
    assert standin.sizes_of(config) == {"vocabulary": 100, "context": 64}
    assert standin.sizes_of(json.loads("{}")) == {"vocabulary": None, "context": None}
