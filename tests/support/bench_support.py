"""A benchmark and two small models whose answers are known beforehand.

The model ``base`` repeats the last letter of its prompt. ``tuned`` says the digit after it, for
digits from 5 on. So what each of them gets right of the pack ``echo`` is known.
"""

import json
import subprocess
from pathlib import Path

from starforge import frameworks

MAKE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import tiny_model, torch
from transformers import AutoModelForCausalLM, AutoTokenizer
folder = Path(sys.argv[2])
tiny_model.ensure(folder / "base")
model = AutoModelForCausalLM.from_pretrained(folder / "base")
tokenizer = AutoTokenizer.from_pretrained(folder / "base")
embedding = model.get_input_embeddings().weight.detach()
head = embedding.clone()
ring = tokenizer.convert_tokens_to_ids(list("56789:"))
head[ring] = embedding[ring[-1:] + ring[:-1]]
model.config.tie_word_embeddings = False
model.lm_head.weight = torch.nn.Parameter(head)
model.save_pretrained(folder / "tuned")
tokenizer.save_pretrained(folder / "tuned")
"""
PACK = {
    "name": "echo", "version": "1", "title": {"en": "Echo", "zh": "复述"},
    "description": {"en": "d", "zh": "说明"}, "licence": "MIT",
    "provenance": {"en": "me", "zh": "我"}, "columns": ["question", "answer"],
    "data": {"test": "rows.jsonl"}, "primary": {"metric": "exact_match", "filter": "digit"},
    "task": {
        "output_type": "generate_until", "doc_to_text": "{{question}}",
        "doc_to_target": "{{answer}}",
        "generation_kwargs": {"until": ["\n"], "do_sample": False, "max_gen_toks": 4},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean",
                         "higher_is_better": True}],
        "filter_list": [{"name": "digit", "filter": [
            {"function": "regex", "regex_pattern": "(\\d)"}, {"function": "take_first"}]}],
    },
}  # fmt: skip
# Last digit asked, right answer: both right, only the first, only the second, none.
BOTH = [(f"{n}4", 4) for n in range(4)]
FIRST = [("5", 5)]
SECOND = [(f"{n}7", 8) for n in range(9)]
NONE = [(f"{n}2", 9) for n in range(2)]
ITEMS = [*BOTH, *FIRST, *SECOND, *NONE]


def make_models(python: str, folder: Path) -> Path:
    """Make ``base`` and ``tuned`` in a folder, by a Python that has transformers."""
    drivers = Path(frameworks.__file__).parent / "_drivers"
    subprocess.run([python, "-c", MAKE, str(drivers), str(folder)], check=True)
    return folder


def write_lab(lab: Path) -> Path:
    """Write a lab with the pack ``echo``."""
    own = lab / "benchmarks" / "echo"
    own.mkdir(parents=True)
    (lab / "starforge.yaml").write_text("{}")
    (own / "pack.yaml").write_text(json.dumps(PACK), "utf-8")
    rows = [{"question": f"Say {said}", "answer": str(right)} for said, right in ITEMS]
    (own / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return lab
