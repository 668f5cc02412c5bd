"""Registering data and models."""

import hashlib

import pytest

from starforge.errors import StarForgeError
from starforge.server.services import datasets, models
from starforge.wire.datasets import DatasetCreate
from starforge.wire.models import ModelCreate, ModelFile


def put(core, content: bytes) -> str:
    return core.blobs.put([content], digest=hashlib.sha256(content).hexdigest())


def test_a_dataset_is_looked_at_and_counted_up(core):
    first = put(core, b'{"prompt": "a", "answer": "b"}\n\n{"prompt": "c", "extra": 1}\n')
    made = datasets.create(core, DatasetCreate(name="d", digest=first, file="x/train.jsonl"))
    assert (made.version, made.rows, made.columns) == (1, 2, ["prompt", "answer", "extra"])
    assert made.filename == "train.jsonl"
    assert datasets.create(core, DatasetCreate(name="d", digest=first)).version == 1
    second = put(core, b'{"prompt": "z"}\n')
    assert datasets.create(core, DatasetCreate(name="d", digest=second)).version == 2


def test_rows_that_are_no_objects_are_named_by_line(core):
    for content, line in ((b'{"a": 1}\n[2]\n', 2), (b"{half\n", 1)):
        digest = put(core, content)
        with pytest.raises(StarForgeError) as refused:
            datasets.create(core, DatasetCreate(name="bad", digest=digest))
        assert f"line {line}" in refused.value.message.en
        assert f"第 {line} 行" in refused.value.message.zh


def test_a_blob_that_was_never_sent_is_an_error(core):
    with pytest.raises(StarForgeError) as refused:
        datasets.create(core, DatasetCreate(name="d", digest="0" * 64))
    assert refused.value.code == "blob/not-found"


def test_uploaded_files_become_a_model(core):
    config = put(core, b'{"architectures": ["Toy"]}')
    weights = put(core, b"weights")
    files = [
        ModelFile(path="config.json", digest=config),
        ModelFile(path="w/model.bin", digest=weights),
    ]
    made = models.create(core, ModelCreate(name="m", files=files))
    assert (made.version, made.kind, made.architecture) == (1, "path", "Toy")
    assert models.create(core, ModelCreate(name="m", files=files)).version == 1
    with pytest.raises(StarForgeError) as refused:
        models.create(core, ModelCreate(name="m", files=[ModelFile(path="../x", digest=config)]))
    assert refused.value.code == "model/bad-path"


def test_a_model_has_exactly_one_source(core, tmp_path):
    for fields in ({}, {"path": str(tmp_path), "job": "x"}):
        with pytest.raises(StarForgeError) as refused:
            models.create(core, ModelCreate(name="m", **fields))
        assert refused.value.code == "model/one-source"
