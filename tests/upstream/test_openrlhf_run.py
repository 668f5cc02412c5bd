"""OpenRLHF's own entry really runs on the tiny model: training, resume, a merged adapter."""

import json

import pytest
from trl_support import TINY, Trial

from starforge.streams import decode_scalars

pytestmark = pytest.mark.upstream


def curve(job, name, attempt=0):
    """Return one curve of an attempt by upstream's name."""
    points = {}
    for file in (job.attempt(attempt) / "tensorboard").glob("run/events.out.tfevents.*"):
        found = decode_scalars("tensorboard", file.read_bytes()).series.get(name)
        if found is not None:
            points |= dict(zip(found.steps, found.values, strict=True))
    return points


def test_train_then_resume_from_the_last_whole_checkpoint(openrlhf_python, tmp_path):
    trial = Trial(tmp_path, "openrlhf/sft")
    job = trial.job("epochs=2", "save_steps=2", "lora_rank=4")
    done = job.run(python=openrlhf_python, model=TINY)
    assert done.returncode == 0, done.stdout[-3000:]
    first = curve(job, "train/loss_mean")
    assert list(first) == [1, 2, 3, 4]
    assert json.loads((job.attempt() / "progress.json").read_text())["step"] == 4
    output = job.folder / "output"
    assert [row["name"] for row in job.rows("artifacts.jsonl")] == ["adapter", "model"]
    assert (output / "adapter" / "adapter_model.safetensors").exists()
    assert {"config.json", "model.safetensors", "tokenizer.json"} <= {
        file.name for file in (output / "model").iterdir()
    }
    assert not (job.attempt() / "scratch").exists()

    # The newest checkpoint is damaged, as by a crash: the one before it is taken.
    weights = output / "checkpoints" / "global_step4" / "mp_rank_00_model_states.pt"
    weights.write_bytes(weights.read_bytes()[:1000])
    done = job.run(python=openrlhf_python, model=TINY, attempt=1, resume=True)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "global_step4 is not whole (mp_rank_00_model_states.pt is damaged)" in done.stdout
    assert "resuming from global_step2" in done.stdout
    again = curve(job, "train/loss_mean", 1)
    assert again == pytest.approx({step: first[step] for step in (3, 4)}, abs=1e-2)
