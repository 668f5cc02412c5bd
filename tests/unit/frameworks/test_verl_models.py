"""Models are looked at before verl starts: what is wrong is one clear line."""

import importlib
import sys
from pathlib import Path

import pytest

from starforge import frameworks

ROOT = Path(frameworks.__file__).parent
FOLDERS = (ROOT / "verl" / "drivers", ROOT / "_drivers")


@pytest.fixture
def models(monkeypatch):
    for folder in FOLDERS:
        monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield importlib.import_module("verl_models")
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", "").startswith(tuple(map(str, FOLDERS))):
            del sys.modules[name]


def test_a_folder_that_is_not_there(models, tmp_path):
    with pytest.raises(models.JobError, match="does not exist"):
        models.load(str(tmp_path / "none"), trust=False)


def test_a_folder_that_is_no_model(models, tmp_path):
    with pytest.raises(models.JobError, match=r"has no config\.json"):
        models.load(str(tmp_path), trust=False)


@pytest.mark.parametrize("place", ["", "actor"])
def test_a_checkpoint_of_verl_is_told_apart(models, tmp_path, place):
    (tmp_path / place).mkdir(exist_ok=True)
    (tmp_path / place / "model_world_size_2_rank_0.pt").touch()
    with pytest.raises(models.JobError, match="is a checkpoint of verl"):
        models.load(str(tmp_path), trust=False)


class Tokenizer:
    """As much of a tokenizer as is asked for."""

    def __init__(self, *words, template="{{ messages }}"):
        self.words, self.chat_template = words, template

    def get_vocab(self):
        return {word: index for index, word in enumerate(self.words)}

    def __len__(self):
        return len(self.words)


PLAIN = {"trust": False, "tokenizer": False, "template": False}


@pytest.fixture
def known(models, monkeypatch):
    """Models by name, in place of what transformers would load."""
    made = {
        "base": Tokenizer("a", "b", template=None),
        "chat": Tokenizer("a", "b"),
        "twin": Tokenizer("a", "b", template=None),
        "larger": Tokenizer("a", "b", "c"),
        "other": Tokenizer("b", "a"),
    }
    monkeypatch.setattr(models, "load", lambda name, trust: made[name])
    return models


def test_a_model_that_cannot_chat(known):
    with pytest.raises(known.JobError, match="no chat template"):
        known.check("base", None, PLAIN)
    known.check("base", None, PLAIN | {"template": True})
    known.check("base", None, PLAIN | {"tokenizer": True})
    known.check("chat", None, PLAIN)


@pytest.mark.parametrize("teacher", ["larger", "other"])
def test_a_teacher_with_another_vocabulary(known, teacher):
    with pytest.raises(known.JobError, match=r"the vocabularies of teacher \(\d tokens\)"):
        known.check("chat", teacher, PLAIN)
    known.check("chat", "twin", PLAIN)
