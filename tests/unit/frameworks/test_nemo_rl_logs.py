"""What NeMo-RL's logger leaves, laid out as it does: every run finds its curves, by their names.

Names and folders are those of upstream's code at 0.7.0: ``<log_dir>/exp_NNN/tensorboard``, one
``exp_NNN`` more each time the logger starts, and ``PREFIX/NAME`` for a scalar.
"""

import pytest
import tfevents
from nemo_support import Experiment

from starforge.catalog.load import load_catalog
from starforge.engines.streams import files_of
from starforge.server.store.naming import kept_name
from starforge.streams import decode_scalars

TIMES = {
    "timing/train": ("total_step_time", "policy_training", "valid_tokens_per_sec_per_gpu"),
    "timing/setup": ("total_setup_time_s",),
}
PAIRS = ("loss", "accuracy", "rewards_chosen_mean", "rewards_rejected_mean", "num_valid_samples")
COUNTS = ("global_valid_seqs", "global_valid_toks", "num_valid_samples", "lr", "wd")
ROLLOUT = (
    "loss", "grad_norm", "reward", "mean_prompt_length", "total_num_tokens", "advantages/mean",
    "probs_ratio", "probs_ratio_clamped", "kl_penalty", "token_mult_prob_error", "gen_kl_error",
    "policy_kl_error", "sampling_importance_ratio", "approx_entropy", "positive_nll_loss",
    "total_turns", "natural_termination_rate", "truncation_rate", "mean_total_tokens_per_sample",
    "mean_gen_tokens_per_sample", "max_gen_tokens_per_sample", *COUNTS,
)  # fmt: skip
CRITIC = ("loss", "grad_norm", "vf_clipfrac", "returns_mean", "values_mean", "explained_var", "lr")
WRITTEN = {
    "sft": {"train": ("loss", "grad_norm", "num_unmasked_tokens", *COUNTS),
            "validation": ("val_loss",)},
    "dpo": {"train": ("sft_loss", "preference_loss", "grad_norm", *PAIRS, "lr"),
            "validation-default": ("sft_loss", "preference_loss", *PAIRS)},
    "rm": {"train": (*PAIRS, "grad_norm", "lr"), "validation-default": PAIRS},
    "grpo": {"train": ROLLOUT, "validation": ("accuracy", "avg_length")},
    "ppo": {"train": ROLLOUT, "train/critic": CRITIC, "validation": ("accuracy", "avg_length")},
    "distillation": {"train": ("loss", "grad_norm", "mean_gen_tokens_per_sample", "lr"),
                     "validation": ("accuracy", "avg_length")},
}  # fmt: skip
NAMED = {
    "sft": {"train/learning_rate", "timing/step_seconds"},
    "dpo": {"train/chosen_reward", "train/rejected_reward", "validation/accuracy"},
    "rm": {"train/chosen_reward", "train/rejected_reward", "validation/accuracy"},
    "grpo": {"train/kl", "train/entropy", "rollout/length_mean", "rollout/truncated_share"},
    "ppo": {"train/kl", "train/entropy", "train/value_loss", "rollout/length_mean"},
    "distillation": {"rollout/length_mean"},
}


def write(attempt, method, number, steps):
    """Write an event file as upstream's logger does in its ``number``-th folder."""
    folder = attempt / "nemo" / f"exp_{number:03}" / "tensorboard"
    folder.mkdir(parents=True)
    tags = [f"{prefix}/{name}" for prefix, names in (WRITTEN[method] | TIMES).items()
            for name in names]  # fmt: skip
    events = [
        tfevents.event(step, 1760000000.0 + step, *(tfevents.scalar(tag, 0.5) for tag in tags))
        for step in steps
    ]
    file = folder / f"events.out.tfevents.{1760000000 + number}.host.{number}.0"
    file.write_bytes(b"".join(tfevents.record(one) for one in events))
    return tags


@pytest.mark.parametrize("method", WRITTEN)
def test_curves_are_found_and_named(tmp_path, method):
    plan = Experiment(tmp_path, f"nemo-rl/{method}").plan()
    attempt = tmp_path / "attempt-0"
    tags = write(attempt, method, 1, (1, 2))
    write(attempt, method, 2, (3,))  # the trainer was started again within the attempt
    files = files_of(plan, attempt)
    assert [path.split("/")[1] for path, _ in files] == ["exp_001", "exp_002"]
    steps = {}
    for path, stream in files:
        assert stream.format == "tensorboard"
        read = decode_scalars("tensorboard", (attempt / path).read_bytes(), final=True)
        assert set(read.series) == set(tags)
        for native, found in read.series.items():
            steps.setdefault(kept_name(native, stream.names), []).extend(found.steps)
    assert len(steps) == len(tags)  # no two curves fall together
    metrics = load_catalog().recipe(f"nemo-rl/{method}").metrics
    primary = {one.name for one in metrics if one.primary}
    wanted = primary | NAMED[method] | {"train/grad_norm"}
    assert wanted - set(steps) == set()
    assert all(list(found) == [1, 2, 3] for found in steps.values())
