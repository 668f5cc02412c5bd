"""StarForge's parts of NeMo-RL inside the real NeMo-RL, as far as a CPU goes.

Runs in verl's runtime, which has torch, Ray, datasets and transformers; the few packages of
NeMo-RL that it lacks (loggers and the like) are replaced by empty stand-ins. Arguments: the
checkout, ``frameworks/nemo_rl``, ``frameworks/_drivers``, an empty folder. Prints one JSON
object; what was expected stands in ``test_nemo_rl_runs.py``.
"""

import json
import os
import sys
import typing
from pathlib import Path

import typing_extensions

CHECKOUT, OURS, SHARED, WORK = (Path(word) for word in sys.argv[1:5])
sys.path[:0] = [str(OURS), str(OURS / "drivers"), str(SHARED), str(CHECKOUT)]
typing.TypedDict = typing_extensions.TypedDict
import stand_ins  # noqa: E402

LACKING = {"mlflow", "swanlab", "matplotlib", "pynvml", "soundfile", "scipy"}


class Lacking(stand_ins._Finder):
    def find_spec(self, name, path=None, target=None):
        return super().find_spec(name) if name.partition(".")[0] in LACKING else None


sys.meta_path.append(Lacking())
import nemo_data  # noqa: E402
import nemo_hooks  # noqa: E402
import nemo_maxrl  # noqa: E402
import nemo_opsd  # noqa: E402
import tiny_model  # noqa: E402
import torch  # noqa: E402

REWARD = """
def reward(prompts, completions, answer):
    return [{"right": float(text.strip() == right)} for text, right in zip(completions, answer)]
"""


def maxrl(out):
    from nemo_rl.algorithms import grpo, grpo_sync

    nemo_maxrl.install()
    estimator = grpo._create_advantage_estimator(None)
    out["maxrl_everywhere"] = type(estimator) is type(grpo_sync._create_advantage_estimator(None))
    prompts = torch.tensor([[1, 2]] * 8 + [[3, 4]] * 8)
    rewards = torch.tensor([1.0] + [0.0] * 7 + [1.0] * 7 + [0.0])
    made = estimator.compute_advantage(prompts, rewards, torch.ones(16, 5), repeated_batch=None)
    out["maxrl_shape"] = list(made.shape)
    out["maxrl"] = [made[0, 0].item(), made[1, 4].item(), made[8, 2].item(), made[15, 0].item()]


class Teacher:
    """Upstream's interface of a teacher over a real (tiny, random) model on the CPU."""

    def __init__(self, model):
        self.model = model

    def get_topk_logits(self, data, k, micro_batch_size=None, timer=None):
        with torch.no_grad():
            logits = self.model(data["input_ids"]).logits
        top = logits.topk(k, dim=-1)
        return {"topk_logits": top.values, "topk_indices": top.indices}


def opsd(out, tokenizer, model):
    """What the informed teacher says at the student's positions, against asking it directly."""
    from nemo_rl.distributed.batched_data_dict import BatchedDataDict

    questions, answers = ["2 + 2?", "Name a fruit."], ["It is 4", "Pear!"]
    told = ["2 + 2? The solution is 4.", "Name a fruit. Say pear, for instance."]
    rows = [[tokenizer(one)["input_ids"] for one in texts] for texts in (questions, answers, told)]
    student = [q + a for q, a in zip(rows[0], rows[1], strict=True)]
    width = max(map(len, student)) + 3
    ids = torch.zeros(2, width, dtype=torch.long)
    mask = torch.zeros(2, width)
    for index, (question, row) in enumerate(zip(rows[0], student, strict=True)):
        ids[index, : len(row)] = torch.tensor(row)
        mask[index, len(question) : len(row)] = 1
    data = BatchedDataDict({
        "input_ids": ids, "input_lengths": torch.tensor([len(row) for row in student]),
        "token_mask": mask, "sample_mask": torch.ones(2),
    })  # fmt: skip
    remembered = {"rows": [{"teacher_prompt": prompt} for prompt in rows[2]]}
    options = {"limit": 512, "multiple": 8, "pad": 0}
    teacher = nemo_opsd.InformedTeacher(Teacher(model), remembered, options)
    top = teacher.get_topk_logits(data, k=5)
    worst, same = 0.0, True
    for index, (question, answer, prompt) in enumerate(zip(*rows, strict=True)):
        whole = torch.tensor([prompt + answer])
        with torch.no_grad():
            direct = model(whole).logits[0].topk(5, dim=-1)
        for offset in range(len(answer)):
            here, there = len(question) - 1 + offset, len(prompt) - 1 + offset
            gap = (top["topk_logits"][index, here] - direct.values[there]).abs().max().item()
            worst = max(worst, gap)
            same &= torch.equal(top["topk_indices"][index, here], direct.indices[there])
    out["opsd_shape"] = [list(top["topk_logits"].shape), [2, width, 5]]
    out["opsd_gap"], out["opsd_same_tokens"] = worst, bool(same)
    out["opsd_loss"] = _loss(model, data, top)


def _loss(model, data, top):
    """Run upstream's own distillation loss over the aligned teacher; return its gradient norm."""
    from nemo_rl.algorithms.loss.loss_functions import DistillationLossFn
    from nemo_rl.algorithms.loss.utils import prepare_loss_input

    loss_fn = DistillationLossFn(
        {"kl_type": "mixed", "mixed_kl_weight": 0.5, "zero_outside_topk": False}
    )
    data["teacher_topk_logits"] = top["topk_logits"]
    data["teacher_topk_indices"] = top["topk_indices"]
    inputs = prepare_loss_input(model(data["input_ids"]).logits, data, loss_fn)
    inputs = inputs[0] if isinstance(inputs, tuple) else inputs
    tokens = data["token_mask"][:, 1:].sum()
    loss, _ = loss_fn(
        **inputs, data=data, global_valid_seqs=torch.tensor(2), global_valid_toks=tokens
    )
    loss.backward()
    total = sum(p.grad.norm().item() for p in model.parameters() if p.grad is not None)
    model.zero_grad()
    return [loss.item(), total]


def patched(out):
    from nemo_rl.algorithms import distillation

    before = distillation.setup
    nemo_opsd.install()
    out["opsd_installed"] = distillation.setup is not before


def rewards(out, tokenizer_folder):
    """Rows through upstream's data pipeline, our processor and our environment on a real Ray."""
    from nemo_rl.algorithms.utils import get_tokenizer
    from nemo_rl.data.collate_fn import rl_collate_fn
    from nemo_rl.data.utils import setup_response_data
    from nemo_rl.distributed import virtual_cluster
    from nemo_rl.experience.rollouts import calculate_rewards

    source, target = WORK / "in.jsonl", WORK / "attempt" / "data" / "train.jsonl"
    rows = [{"prompt": "2 + 2?", "answer": "4", "note": None}, {"prompt": "3 + 3?", "answer": "6"}]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    nemo_data.write(source, target, "verifiable")
    (WORK / "reward.py").write_text(REWARD)
    os.environ["RAY_ADDRESS"] = "203.0.113.1:6379"  # nobody's: must not be tried
    virtual_cluster.init_ray()
    import ray

    out["ray_nodes"] = len(ray.nodes())
    out["ray_tagged"] = any(name.startswith("nrl_tag_") for name in ray.cluster_resources())
    data_config = {
        "train": {"dataset_name": "ResponseDataset", "data_path": str(target), "split": "train",
                  "split_validation_size": 0},
        "validation": None, "max_input_seq_length": 256,
        "default": {"prompt_file": None, "system_prompt_file": None, "processor": "starforge",
                    "env_name": "starforge"},
    }  # fmt: skip
    environment = {"starforge": {"reward_file": str(WORK / "reward.py")}}
    tokenizer = get_tokenizer({"name": tokenizer_folder, "chat_template": "default"})
    dataset, _, task_to_env, _ = setup_response_data(tokenizer, data_config, environment)
    batch = rl_collate_fn([dataset[0], dataset[1]])
    out["prompt"] = batch["message_log"][0][0]["content"]
    out["tokens_match"] = tokenizer.decode(batch["message_log"][0][0]["token_ids"]) == out["prompt"]
    for log, text in zip(batch["message_log"], ["4", "7"], strict=True):
        log.append({"role": "assistant", "content": text, "token_ids": torch.tensor([5])})
    result = calculate_rewards(batch, task_to_env)
    out["rewards"] = result.rewards.tolist()
    out["done"] = result.terminateds.tolist()
    written = (WORK / "attempt" / "reward-parts.jsonl").read_text().splitlines()
    out["parts"] = [json.loads(line)["parts"] for line in written]
    out["ground_truth"] = [one["ground_truth"] for one in batch["extra_env_info"]]
    ray.shutdown()


def supervised(out, tokenizer_folder):
    """Converted rows of the other two kinds through upstream's own datasets and processors."""
    from nemo_rl.algorithms.utils import get_tokenizer
    from nemo_rl.data.datasets import load_response_dataset
    from nemo_rl.data.utils import setup_preference_data

    tokenizer = get_tokenizer({"name": tokenizer_folder, "chat_template": "default"})
    source, target = WORK / "pairs.jsonl", WORK / "pairs" / "train.jsonl"
    source.write_text(json.dumps({"prompt": "2?", "chosen": "good", "rejected": "bad"}) + "\n")
    nemo_data.write(source, target, "preference")
    config = {
        "train": {"dataset_name": "PreferenceDataset", "data_path": str(target), "split": "train"},
        "validation": None, "max_input_seq_length": 128,
    }  # fmt: skip
    dataset, _ = setup_preference_data(tokenizer, config)
    datum = dataset[0]
    out["chosen"] = datum["message_log_chosen"][-1]["content"]
    out["rejected"] = datum["message_log_rejected"][-1]["content"]
    source.write_text(json.dumps({"prompt": "2?", "completion": "two"}) + "\n")
    nemo_data.write(source, target, "instruction")
    data = load_response_dataset({
        "dataset_name": "ResponseDataset", "data_path": str(target), "split": "train",
        "prompt_file": None, "system_prompt_file": None, "processor": "sft_processor",
    })  # fmt: skip
    datum = data.processor(
        {**data.dataset[0]}, data.task_spec, tokenizer, 128, 0, add_bos=True, add_eos=True
    )
    out["sft_roles"] = [turn["role"] for turn in datum["message_log"]]
    out["sft_weight"] = datum["loss_multiplier"]


def logger(out):
    """Progress and samples from upstream's real logger."""
    from nemo_rl.utils.logger import Logger

    made = Logger({
        "log_dir": str(WORK / "attempt" / "nemo" / "exp_001"), "wandb_enabled": False,
        "swanlab_enabled": False, "tensorboard_enabled": True, "mlflow_enabled": False,
        "monitor_gpus": False, "tensorboard": {}, "num_val_samples_to_print": 0,
    })  # fmt: skip
    made.log_metrics({"loss": 0.5}, 3, prefix="train")
    made.log_metrics({"accuracy": 0.5}, 4, prefix="validation")
    made.log_batched_dict_as_jsonl(
        {"content": [["q1", "a1", ""], ["q2", "a2", ""]], "rewards": [1.0, 0.0],
         "token_loss_mask": [[0, 1], [0, 1]]},
        "train_data_step3.jsonl",
    )  # fmt: skip
    attempt = WORK / "attempt"
    out["progress"] = json.loads((attempt / "progress.json").read_text())
    lines = (attempt / "samples" / "rollouts.jsonl").read_text().splitlines()
    out["samples"] = [json.loads(line) for line in lines]
    out["curves"] = len(list(attempt.glob("nemo/exp_*/tensorboard/events.out.tfevents.*")))


def main():
    os.environ["STARFORGE_ATTEMPT_DIR"] = str(WORK / "attempt")
    os.environ["STARFORGE_TOTAL_STEPS"] = "8"
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = tiny_model.resolve(tiny_model.REFERENCE, WORK)
    model = AutoModelForCausalLM.from_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    out = {}
    nemo_hooks.install()
    logger(out)
    maxrl(out)
    opsd(out, tokenizer, model)
    patched(out)
    supervised(out, folder)
    rewards(out, folder)
    sys.stdout.write("\n" + json.dumps(out) + "\n")


if __name__ == "__main__":
    main()
