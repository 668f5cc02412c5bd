"""Fill a folder with a model of random weights, inside a runtime.

``python stand_in.py FOLDER SEED [--scores] [--tiny]``: FOLDER holds a config.json and the
files of a tokenizer; with ``--tiny`` it is new, and becomes that of ``starforge:tiny``.
``--scores`` makes a reward model. What is wrong comes as one line, with exit code 1.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import tiny_model


def main() -> None:
    """Make what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("seed", type=int)
    parser.add_argument("--scores", action="store_true")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--trust", action="store_true")
    asked = parser.parse_args()
    try:
        if asked.tiny:
            tiny_model.ensure(asked.folder, asked.seed)
        if not asked.tiny or asked.scores:
            build(asked.folder, asked.seed, scores=asked.scores, trust=asked.trust)
    except Exception as error:  # each architecture raises its own
        text = " ".join(str(error).split())
        print(f"{type(error).__name__}: {text}", file=sys.stderr)
        sys.exit(1)


def build(folder: Path, seed: int, *, scores: bool, trust: bool) -> None:
    """Write the weights that config.json of ``folder`` describes; the tokenizer must fit."""
    import torch
    from transformers import AutoConfig, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=trust)
    config = AutoConfig.from_pretrained(folder, trust_remote_code=trust)
    vocabulary = getattr(config.get_text_config(), "vocab_size", None)
    if vocabulary is not None and len(tokenizer) > vocabulary:
        raise ValueError(
            f"the tokenizer has {len(tokenizer)} tokens, the model's vocabulary {vocabulary}"
        )
    if scores:
        config.num_labels = 1
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = _new(config, scores=scores, trust=trust)
    model.to(torch.float32).save_pretrained(folder)


def _new(config: Any, *, scores: bool, trust: bool) -> Any:
    """Return a model of random weights, of the very class that the config names."""
    import transformers

    if scores:
        auto = transformers.AutoModelForSequenceClassification
        return auto.from_config(config, trust_remote_code=trust)
    own = getattr(transformers, (config.architectures or [""])[0], None)
    if own is not None:
        return own._from_config(config)
    return transformers.AutoModelForCausalLM.from_config(config, trust_remote_code=trust)


if __name__ == "__main__":
    main()
