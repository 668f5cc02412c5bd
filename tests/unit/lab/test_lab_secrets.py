"""Secrets in what would be uploaded are refused, and shown nowhere."""

import json

import msgspec
import pytest

from starforge.lab.secrets import find_secrets, search
from starforge.prepare import prepare

# Put together here, so that this file holds none itself.
HF = "hf_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"
RANDOM = "q7Xv2" + "Lm9Zt4Rk8Wb3Nc6Jd1"
SECRETS = [
    ("HF_TOKEN=" + HF, "Hugging Face"),
    ("key = 'sk-" + "proj-" + RANDOM + RANDOM + "'", "API key"),
    ("AKIA" + "Q3R7T9W2X4Z6B8D1", "AWS"),
    ("ghp_" + RANDOM + RANDOM[:13], "GitHub"),
    ("-----BEGIN OPENSSH " + "PRIVATE KEY-----", "private key"),
    ("wandb_api_key: " + RANDOM, "password or key"),
    ('"password": "' + RANDOM + '"', "password or key"),
]
HARMLESS = [
    "eos_token: <|endoftext|>", "token: ${HF_TOKEN}", 'os.environ["HF_TOKEN"]',
    "max_completion_tokens: 1024", "api_key = self.configuration_of_the_service",
    "token = tokenizer_of_the_model", "commit: " + "3f2a" * 10, "hf_transfer: true",
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), SECRETS, ids=[kind for _, kind in SECRETS])
def test_what_is_a_secret(text, kind):
    (hit,) = search(f"first line\n{text}\nlast line")
    assert kind in hit.kind.en


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_none(text):
    assert list(search(text)) == []


def secrets_of(prepared):
    return [(f.at.file, f.at.line) for f in prepared.findings if f.code == "bundle/secret"]


EXPERIMENT = "method: trl/sft\nmodel: starforge:tiny\ndata: {train: train.jsonl}\n"


@pytest.fixture
def folder(write):
    row = json.dumps({"prompt": "a", "completion": "b"})
    return lambda files: write(EXPERIMENT, files={"train.jsonl": row + "\n", **files})


def test_a_secret_is_refused_with_file_and_line(folder):
    prepared = prepare(folder({"tools/run.sh": f"#!/bin/sh\nexport HF_TOKEN={HF}\n"}))
    assert secrets_of(prepared) == [("tools/run.sh", 2)]
    assert prepared.plan is None


def test_no_finding_shows_it(folder):
    where = folder({"config.yaml": f"hub_tokn: {HF}\nlearning_rate: {HF}\n"})
    for lang in ("en", "zh"):
        shown = json.dumps([f.to_public(lang) for f in prepare(where).findings])
        assert HF not in shown
        assert HF[6:] not in shown
    shown = msgspec.json.encode(prepare(where, sets=[f"hub_token={HF}"]).findings)
    assert HF.encode() not in shown


def test_a_secret_given_with_set_is_refused(folder):
    prepared = prepare(folder({}), sets=[f"hub_token={HF}"])
    assert [f.at.key for f in prepared.findings if f.code == "bundle/secret"] == ["--set"]


@pytest.mark.parametrize(
    "files",
    [
        {"run.sh": f"TOKEN={HF}  # not-a-secret: an example of the docs\n"},
        {"run.sh": f"TOKEN={HF}\n", ".sfignore": "run.sh\n"},
        {"keys.json": f'{{"token": "{HF}"}}', ".sfignore": "# not-a-secret: keys.json\n"},
        {"weights.bin": f"\0\0token={HF}"},
    ],
    ids=["comment", "ignored", "accepted file", "binary"],
)
def test_ways_out(folder, files):
    assert secrets_of(prepare(folder(files))) == []


def test_nothing_is_found_where_nothing_is(folder):
    assert find_secrets([]) == ([], [])
    assert secrets_of(prepare(folder({"train.py": "print('token')\n"}))) == []
