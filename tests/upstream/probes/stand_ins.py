"""Make models of many architectures tiny, and take one step of each, in the runtime.

``python stand_ins.py TINY_CONFIG TYPE...`` writes one line of JSON a type on standard output.
"""

import json
import runpy
import sys

import torch
from transformers import AutoConfig, AutoModelForCausalLM


def main() -> None:
    tiny_config = runpy.run_path(sys.argv[1])["tiny_config"]
    for kind in sys.argv[2:]:
        own = AutoConfig.for_model(kind).to_dict()
        own.pop("model_type")
        small = json.loads(json.dumps(tiny_config(own)))
        config = AutoConfig.for_model(kind, **small)
        model = AutoModelForCausalLM.from_config(config)
        ids = torch.tensor([[5, 6, 7, 8]])
        loss = model(input_ids=ids, labels=ids).loss
        loss.backward()
        text = config.get_text_config()
        vocabulary = text.vocab_size
        besides = sum(p.numel() for p in model.parameters() if vocabulary not in p.shape)
        found = {"type": kind, "loss": loss.item(), "vocabulary": vocabulary, "besides": besides,
                 "own": own.get("vocab_size"), "layers": text.num_hidden_layers}  # fmt: skip
        sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
