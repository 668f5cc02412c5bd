"""Ports between stacks: units converted, data and reward kept, nothing dropped silently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from starforge.catalog.load import load_catalog
from starforge.convert.porting import PortNote, port_experiment, write_port
from starforge.errors import StarForgeError
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import Prepared, prepare

CATALOG = load_catalog()


class Bench:
    """A lab in which experiments are made and ported."""

    def __init__(self, work: Path) -> None:
        init_lab(work)
        self.lab = Lab(root=work)
        self.count = 0

    def new(self, method: str, params: dict[str, Any], *, resources: str = "gpu:2",
            config: dict[str, Any] | None = None) -> Path:  # fmt: skip
        self.count += 1
        folder = new_experiment(self.lab, f"e{self.count}", CATALOG.recipe(method), CATALOG)
        file = folder / "experiment.yaml"
        written = yaml.safe_load(file.read_text("utf-8")) | {"params": params}
        file.write_text(yaml.safe_dump(written | {"resources": resources}), "utf-8")
        (folder / "config.yaml").write_text(yaml.safe_dump(config or {}), "utf-8")
        rows = folder / "data/train.jsonl"
        rows.write_text(rows.read_text("utf-8") * 8, "utf-8")
        return folder

    def port(self, origin: Path, method: str) -> tuple[Path, list[PortNote]]:
        self.count += 1
        ported = port_experiment(prepare(origin, catalog=CATALOG), origin, method, CATALOG)
        folder = write_port(ported, origin, self.lab, f"p{self.count}", CATALOG, runtime={})
        return folder, ported.notes

    def values(self, folder: Path) -> dict[str, Any]:
        """Return the effective parameters; the experiment has to validate."""
        prepared = prepare(folder, catalog=CATALOG)
        assert errors(prepared) == []
        assert prepared.context is not None
        return prepared.context.config.parameters


def errors(prepared: Prepared) -> list[str]:
    return [f"{f.code}: {f.message.en}" for f in prepared.findings if f.severity == "error"]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "lab")


VERL_GRPO = {
    "prompts_per_step": 8, "mini_batch_size": 4, "group_size": 6, "batch_size": 4, "epochs": 2,
    "learning_rate": 2e-6, "kl_in_loss": True, "kl_coef": 0.003, "clip_high": 0.28,
    "max_prompt_tokens": 128, "max_completion_tokens": 64, "temperature": 0.8,
}  # fmt: skip


def test_verl_counts_prompts_and_openrlhf_samples(bench: Bench) -> None:
    folder, notes = bench.port(bench.new("verl/grpo", VERL_GRPO), "openrlhf/grpo")
    values = bench.values(folder)
    wanted = {"prompts_per_step": 8, "global_batch_size": 24, "group_size": 6, "epochs": 2,
              "learning_rate": 2e-6, "kl_coef": 0.003, "kl_in_loss": True, "kl_estimator": "k3",
              "clip_low_high": [0.2, 0.28], "max_model_tokens": 192, "temperature": 0.8,
              "max_completion_tokens": 64}  # fmt: skip
    assert {name: values[name] for name in wanted} == wanted
    shown = {note.what: note.why.en for note in notes if note.kind == "changed"}
    assert shown["global_batch_size=24"] == "4 × 6 = 24"
    assert shown["max_model_tokens=192"] == "128 + 64 = 192"


def test_trl_counts_per_gpu(bench: Bench) -> None:
    folder, notes = bench.port(bench.new("verl/grpo", VERL_GRPO), "trl/grpo")
    values = bench.values(folder)
    assert values["batch_size"] * values["gradient_accumulation"] * 2 == 24
    assert values["generation_batch_size"] == 48
    assert values["kl_coef"] == 0.003
    lost = {note.what.partition("=")[0] for note in notes if note.kind == "lost"}
    assert lost == {"max_prompt_tokens"}


SAME: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "verl/grpo": (
        VERL_GRPO,
        ["openrlhf/grpo", "nemo-rl/grpo", "trl/grpo"],
        ["prompts_per_step", "mini_batch_size", "group_size", "epochs", "learning_rate",
         "kl_in_loss", "kl_coef", "clip_high", "max_completion_tokens", "temperature"],
    ),
    "trl/sft": (
        {"batch_size": 2, "gradient_accumulation": 4, "learning_rate": 3e-5, "epochs": 2,
         "max_tokens": 512, "warmup_steps": 0.1, "lora": True, "lora_rank": 16,
         "weight_decay": 0.02},
        ["verl/sft", "openrlhf/sft", "nemo-rl/sft"],
        ["batch_size", "gradient_accumulation", "learning_rate", "epochs", "max_tokens",
         "lora", "lora_rank", "weight_decay"],
    ),
    "openrlhf/dpo": (
        {"global_batch_size": 16, "batch_size": 4, "learning_rate": 4e-6, "beta": 0.3, "epochs": 2,
         "max_tokens": 700, "warmup_ratio": 0.05, "adam_betas": [0.9, 0.98]},
        ["trl/dpo", "nemo-rl/dpo"],
        ["global_batch_size", "batch_size", "learning_rate", "beta", "epochs", "max_tokens",
         "adam_betas"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("source", "target"), [(one, other) for one, (_, all_, _) in SAME.items() for other in all_]
)
def test_there_and_back_gives_the_same_training(bench: Bench, source: str, target: str) -> None:
    params, _, kept = SAME[source]
    origin = bench.new(source, params)
    there, _ = bench.port(origin, target)
    bench.values(there)
    back, _ = bench.port(there, source)
    before, after = bench.values(origin), bench.values(back)
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}


def test_native_keys_and_files_are_not_dropped_silently(bench: Bench) -> None:
    origin = bench.new("trl/grpo", {"group_size": 4, "min_p": 0.1},
                       config={"dataloader_drop_last": True})  # fmt: skip
    (origin / "helper.py").write_text("X = 1\n", "utf-8")
    folder, notes = bench.port(origin, "openrlhf/grpo")
    lost = [note.what for note in notes if note.kind == "lost"]
    assert "dataloader_drop_last=true" in lost
    assert "min_p=0.1" in lost
    assert (folder / "helper.py").read_text("utf-8") == "X = 1\n"
    assert (folder / "reward.py").read_bytes() == (origin / "reward.py").read_bytes()
    assert "dataloader_drop_last" in (folder / "README.md").read_text("utf-8")


def test_a_step_limit_becomes_rows_where_only_epochs_count(bench: Bench) -> None:
    origin = bench.new("verl/sft", {"max_steps": 5, "epochs": 9, "global_batch_size": 4,
                                    "batch_size": 2})  # fmt: skip
    folder, notes = bench.port(origin, "openrlhf/sft")
    values = bench.values(folder)
    assert (values["epochs"], values["max_rows"]) == (1, 20)
    assert any(note.why.en == "5 × 4 / 1 = 20" for note in notes)


def test_other_data_is_refused(bench: Bench) -> None:
    origin = bench.new("trl/sft", {})
    with pytest.raises(StarForgeError) as caught:
        bench.port(origin, "verl/grpo")
    assert caught.value.code == "port/other-data"


def test_every_pair_of_methods_for_the_same_data_can_be_ported(bench: Bench) -> None:
    """No pair fails, and a reported value is never both carried and lost."""
    recipes = [CATALOG.recipe(name) for name in CATALOG.names()]
    trained = [one for one in recipes if one.data.kind != "none"]
    pairs = 0
    for source in trained:
        origin = bench.new(source.name, dict(source.scaffold.params), resources="gpu:4")
        prepared = prepare(origin, catalog=CATALOG)
        for target in trained:
            if target.data.kind != source.data.kind:
                continue
            ported = port_experiment(prepared, origin, target.name, CATALOG)
            lost = {n.what.partition("=")[0] for n in ported.notes if n.kind == "lost"}
            assert not lost & set(ported.params), (source.name, target.name)
            pairs += 1
    assert pairs > 100
