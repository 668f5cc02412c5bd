"""Imports of launches written the way people write them for each project."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from starforge.catalog.load import load_catalog
from starforge.convert.importing.model import Note, Upstream
from starforge.convert.importing.source import from_argv, from_script, from_yaml
from starforge.convert.importing.write import assemble, write
from starforge.errors import StarForgeError
from starforge.frameworks._drivers.reward_file import RewardFile
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab
from starforge.prepare import Prepared, prepare

CATALOG = load_catalog()
VERL_ROWS = [
    {"data_source": "sums", "prompt": [{"role": "user", "content": f"{i} + 1 = ?"}],
     "reward_model": {"style": "rule", "ground_truth": str(i + 1)}, "extra_info": {"index": i}}
    for i in range(64)
]  # fmt: skip


class Made:
    """An imported experiment: what was written, and what was said."""

    def __init__(self, upstream: Upstream, lab: Lab) -> None:
        imported = assemble(upstream, CATALOG, lab.root)
        self.folder = write(imported, upstream, lab, "made", CATALOG, description="d", runtime={})
        self.experiment: dict[str, Any] = yaml.safe_load(
            (self.folder / "experiment.yaml").read_text()
        )
        self.params: dict[str, Any] = self.experiment.get("params", {})
        self.config = yaml.safe_load((self.folder / "config.yaml").read_text()) or {}
        self.notes: list[Note] = imported.notes
        self.prepared: Prepared = prepare(self.folder, catalog=CATALOG)

    @property
    def errors(self) -> list[str]:
        return [
            f"{f.code}: {f.message.en}" for f in self.prepared.findings if f.severity == "error"
        ]

    def said(self, kind: str) -> dict[str, str]:
        """Return what notes of a kind name, with the reason."""
        return {note.what: note.why.en for note in self.notes if note.kind == kind}

    def rows(self) -> list[dict[str, Any]]:
        lines = (self.folder / "data/train.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    init_lab(tmp_path / "lab")
    return Lab(root=tmp_path / "lab")


@pytest.fixture(autouse=True)
def clean_modules(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Reward files put their folder on the path and import neighbours: one test's only."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name in ("upstream_reward", "mine"):
            del sys.modules[name]


def put(folder: Path, name: str, content: str | list[dict[str, Any]]) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, list):
        content = "".join(json.dumps(row) + "\n" for row in content)
    file.write_text(content, "utf-8")
    return file


VERL = r"""
set -xeuo pipefail
export WANDB_API_KEY=do-not-show  VLLM_USE_V1=1 MY_SETTING=7
MODEL=${MODEL:-org/base-1b}
prompt=$((256 * 2)); answer=512
ACTOR=(
    actor_rollout_ref.model.path="$MODEL"
    actor_rollout_ref.actor.optim.lr=3e-6      # found by hand
    actor_rollout_ref.actor.ppo_mini_batch_size=16
    actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=4
    actor_rollout_ref.actor.use_kl_loss=True
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=$((prompt + answer))
)
if [[ -n "${EXTRA:-}" ]]; then ACTOR+=(algorithm.gamma=0.5); fi
python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo \
    data.train_files="['train.jsonl']" data.val_files=['train.jsonl'] \
    data.train_batch_size=16 data.max_prompt_length=$prompt data.max_response_length=$answer \
    "${ACTOR[@]}" \
    actor_rollout_ref.rollout.name=vllm actor_rollout_ref.rollout.n=5 \
    actor_rollout_ref.rollout.log_prob_micro_batch_size_per_gpu=8 \
    actor_rollout_ref.ref.log_prob_micro_batch_size_per_gpu=8 \
    +actor_rollout_ref.rollout.no_such_key=1 \
    custom_reward_function.path=score.py custom_reward_function.name=judge \
    +custom_reward_function.reward_kwargs.bonus=2 \
    trainer.logger='["console","wandb"]' trainer.experiment_name=x_$(date +%F) \
    trainer.n_gpus_per_node=2 trainer.nnodes=2 trainer.save_freq=20 trainer.total_epochs=3 \
    trainer.val_before_train=False "$@" 2>&1 | tee run.log
"""
JUDGE = """
def judge(data_source, solution_str, ground_truth, extra_info=None, bonus=1):
    assert data_source == "sums"
    return {"score": bonus * (ground_truth in solution_str), "acc": 1}
"""


@pytest.fixture
def verl(tmp_path: Path, lab: Lab) -> Made:
    put(tmp_path, "score.py", JUDGE)
    put(tmp_path, "train.jsonl", VERL_ROWS)
    script = put(tmp_path, "run.sh", VERL)
    arguments = ["actor_rollout_ref.rollout.temperature=0.7"]
    return Made(from_script(script, CATALOG, arguments=arguments), lab)


def test_a_verl_script_becomes_an_experiment_that_validates(verl: Made) -> None:
    assert verl.errors == []
    assert verl.experiment["method"] == "verl/grpo"
    assert verl.experiment["model"] == "org/base-1b"
    assert verl.experiment["resources"] == "gpu:2"
    wanted = {"learning_rate": 3e-6, "mini_batch_size": 16, "max_tokens_per_device": 1024,
              "kl_in_loss": True, "group_size": 5, "epochs": 3, "save_steps": 20,
              "temperature": 0.7, "prompts_per_step": 16}  # fmt: skip
    assert {name: verl.params[name] for name in wanted} == wanted
    assert "max_prompt_tokens" not in verl.params  # upstream's default
    assert verl.params["filter_long_prompts"] is False  # upstream's default, not the recipe's


def test_verl_rows_and_reward_are_taken_over(verl: Made) -> None:
    first = verl.rows()[0]
    assert first["answer"] == "1"
    assert first["prompt"] == VERL_ROWS[0]["prompt"]
    score = RewardFile(verl.folder / "reward.py")
    columns = {"answer": ["1", "2"], "data_source": ["sums", "sums"]}
    totals = [one.total for one in score(["a", "b"], ["it is 1", "no"], columns)]
    assert totals == [2.0, 0.0]


def test_what_does_not_come_along_is_said(verl: Made) -> None:
    lost = verl.said("lost")
    assert "no such key" in lost["actor_rollout_ref.rollout.no_such_key=1"]
    assert "trainer.nnodes=2" in lost
    assert "MY_SETTING=7" in lost
    dropped = verl.said("dropped")
    assert any(what.startswith("trainer.experiment_name") for what in dropped)
    readme = (verl.folder / "README.md").read_text("utf-8")
    assert "no_such_key" in readme
    everything = readme + str(verl.notes)
    assert "do-not-show" not in everything
    assert "WANDB_API_KEY=***" in dropped


OPENRLHF_SFT = r"""
read -r -d '' training_commands <<EOF
openrlhf.cli.train_sft \
   --max_len 1024 --dataset qa.jsonl --input_key question --output_key reply \
   --train_batch_size 16 --micro_train_batch_size 2 --pretrain org/base \
   --save_path ./ckpt --zero_stage 3 --max_epochs 1 --packing_samples --bf16 --flash_attn \
   --adam.l 2e-5 --load_checkpoint --gradient_checkpointing --use_wandb secret-words
EOF
if [[ ${1} != "slurm" ]]; then
    deepspeed --num_gpus 4 --module $training_commands
fi
"""


def test_an_openrlhf_script_of_an_earlier_version(tmp_path: Path, lab: Lab) -> None:
    put(tmp_path, "qa.jsonl", [{"question": f"q{i}", "reply": "r"} for i in range(64)])
    made = Made(from_script(put(tmp_path, "sft.sh", OPENRLHF_SFT), CATALOG), lab)
    assert made.errors == []
    assert made.experiment["method"] == "openrlhf/sft"
    assert made.experiment["resources"] == "gpu:4"
    wanted = {"global_batch_size": 16, "batch_size": 2, "zero_stage": 3, "max_tokens": 1024,
              "epochs": 1, "sequence_packing": True, "learning_rate": 2e-5,
              "activation_checkpointing": True, "apply_chat_template": False}  # fmt: skip
    assert {name: made.params[name] for name in wanted} == wanted
    assert made.rows()[0] == {"prompt": "q0", "completion": "r"}
    assert "--bf16" in made.said("changed")
    assert "--save_path=./ckpt" in made.said("dropped")


OPENRLHF_RL = [
    "ray", "job", "submit", "--address=http://127.0.0.1:8265",
    '--runtime-env-json={"working_dir": "/x"}', "--", "python3", "-m",
    "openrlhf.cli.train_ppo_ray", "--actor.num_gpus_per_node", "2", "--ref.num_gpus_per_node",
    "2", "--vllm.num_engines", "1", "--vllm.tensor_parallel_size", "2",
    "--algo.advantage.estimator", "dr_grpo", "--actor.model_name_or_path", "org/base",
    "--reward.remote_url", "score.py", "--rollout.batch_size", "16",
    "--rollout.n_samples_per_prompt", "4", "--train.batch_size", "64",
    "--prompt_max_len", "500", "--generate_max_len", "524", "--data.prompt_dataset",
    "rows.jsonl", "--data.input_key", "question", "--data.label_key", "final",
    "--data.apply_chat_template", "--actor.adam.betas", "0.9", "0.98",
    "--logger.wandb.key", "secret-words", "--bogus", "-3",
]  # fmt: skip


def test_an_openrlhf_job_on_ray(tmp_path: Path, lab: Lab) -> None:
    put(tmp_path, "rows.jsonl", [{"question": f"q{i}", "final": "1"} for i in range(32)])
    put(tmp_path, "score.py",
        "def reward_func(queries, prompts, labels):\n"
        "    pairs = zip(queries, prompts)\n"
        "    return {'rewards': [len(q) - len(p) for q, p in pairs]}\n")  # fmt: skip
    made = Made(from_argv(OPENRLHF_RL, tmp_path, CATALOG), lab)
    assert made.errors == []
    assert made.experiment["method"] == "openrlhf/grpo"
    # Actor, reference and vLLM each have two GPUs of their own.
    assert made.experiment["resources"] == "gpu:6"
    assert made.params["no_std_norm"] is True
    assert made.params["max_model_tokens"] == 1024
    assert made.params["adam_betas"] == [0.9, 0.98]
    assert made.params["colocate"] is False
    assert made.rows()[0] == {"prompt": "q0", "answer": "1"}
    assert list(made.said("lost")) == ["--bogus=-3"]
    assert "secret-words" not in str(made.notes)
    score = RewardFile(made.folder / "reward.py")
    assert [one.total for one in score(["ab"], ["xyz"], {"answer": ["1"]})] == [3.0]


TRL_YAML = """\
model_name_or_path: org/base
datasets:
  - path: json
    data_files: chat.jsonl
learning_rate: 2.0e-5
per_device_train_batch_size: 2
gradient_accumulation_steps: 8
warmup_ratio: 0.1
max_length: 2048
use_peft: true
lora_r: 32
output_dir: out
report_to: wandb
packing: true
env: {MY_FLAG: "1"}
"""
CHAT = [
    {"messages": [{"role": "user", "content": f"{i}"}, {"role": "assistant", "content": "ok"}]}
    for i in range(64)
]


def test_trl_with_a_configuration_file(tmp_path: Path, lab: Lab) -> None:
    put(tmp_path, "chat.jsonl", CHAT)
    put(tmp_path, "sft.yaml", TRL_YAML)
    words = ["trl", "sft", "--config", "sft.yaml", "--learning_rate", "1e-5", "--no_packing",
             "--num_train_epochs", "2", "--what_is_this"]  # fmt: skip
    made = Made(from_argv(words, tmp_path, CATALOG), lab)
    assert made.errors == []
    assert made.experiment["method"] == "trl/sft"
    wanted = {"learning_rate": 1e-5, "batch_size": 2, "gradient_accumulation": 8, "epochs": 2,
              "warmup_steps": 0.1, "max_tokens": 2048, "lora": True, "lora_rank": 32}  # fmt: skip
    assert {name: made.params[name] for name in wanted} == wanted
    assert "packing" not in made.params
    assert set(made.said("lost")) == {"MY_FLAG=1", "--what_is_this=true"}
    assert made.experiment["data"]["train"] == str((tmp_path / "chat.jsonl").resolve())


def test_trl_by_accelerate_with_reward_functions(tmp_path: Path, lab: Lab) -> None:
    put(tmp_path, "mine.py",
        "def short(completions, **columns):\n"
        "    return [-float(len(c[0]['content'])) for c in completions]\n"
        "def none(completions, **columns):\n    return [None for _ in completions]\n")  # fmt: skip
    words = ["accelerate", "launch", "--config_file", "zero3.yaml", "--num_processes", "4",
             "-m", "trl.scripts.grpo", "--model_name_or_path", "org/base", "--dataset_name",
             "org/prompts", "--reward_funcs", "mine.short", "mine.none", "--num_generations", "4",
             "--gradient-accumulation-steps", "2", "--bf16", "true"]  # fmt: skip
    made = Made(from_argv(words, tmp_path, CATALOG), lab)
    assert made.experiment["resources"] == "gpu:4"
    assert made.params["group_size"] == 4
    assert made.params["gradient_accumulation"] == 2
    assert "data.train=org/prompts" in made.said("todo")
    assert made.errors[0].startswith("input/not-found")  # the data set has to be fetched
    score = RewardFile(made.folder / "reward.py")
    (one,) = score([[{"role": "user", "content": "x"}]], ["four"], {})
    assert one.parts == {"short": -4.0, "none": 0.0}


NEMO_YAML = """\
defaults: [common.yaml]
grpo: {num_prompts_per_step: 8, num_generations_per_prompt: 4, max_num_steps: 20}
policy:
  model_name: org/base
  train_global_batch_size: 32
  optimizer: {kwargs: {lr: 1.0e-6}}
data:
  train:
    {dataset_name: ResponseDataset, data_path: rows.jsonl, input_key: question, output_key: final}
  validation: null
checkpointing: {checkpoint_dir: results/x}
cluster: {gpus_per_node: 2, num_nodes: 1}
my_section: {x: 1}
"""
NEMO_COMMON = """\
defaults: ../configs/grpo_math_1B.yaml
loss_fn: {reference_policy_kl_penalty: 0.05}
policy: {train_micro_batch_size: 2, max_total_sequence_length: 1024}
"""


@pytest.mark.parametrize("by_script", [True, False])
def test_nemo_rl_yaml_with_a_parent(tmp_path: Path, lab: Lab, *, by_script: bool) -> None:
    put(tmp_path, "rows.jsonl", [{"question": f"q{i}", "final": "1"} for i in range(32)])
    put(tmp_path, "common.yaml", NEMO_COMMON)
    file = put(tmp_path, "mine.yaml", NEMO_YAML)
    if by_script:
        words = ["uv", "run", "examples/run_grpo.py", "--config", "mine.yaml",
                 "grpo.max_num_steps=30", "++logger.wandb_enabled=True"]  # fmt: skip
        made = Made(from_argv(words, tmp_path, CATALOG), lab)
    else:
        made = Made(from_yaml(file, CATALOG), lab)
    assert made.errors == []
    assert made.experiment["method"] == "nemo-rl/grpo"
    assert made.experiment["resources"] == "gpu:2"
    wanted = {"prompts_per_step": 8, "group_size": 4, "global_batch_size": 32, "batch_size": 2,
              "learning_rate": 1e-6, "kl_coef": 0.05, "max_model_tokens": 1024,
              "max_steps": 30 if by_script else 20}  # fmt: skip
    assert {name: made.params[name] for name in wanted} == wanted
    assert made.rows()[0] == {"prompt": "q0", "answer": "1"}
    assert list(made.said("lost")) == ["my_section.x=1"]


REFUSED = {
    "import/no-method": [
        ["python", "-m", "verl.trainer.main_ppo", "algorithm.adv_estimator=opo"],
        ["python", "-m", "openrlhf.cli.train_ppo_ray", "--algo.advantage.estimator", "rloo"],
        ["deepspeed", "--module", "openrlhf.cli.train_kto"],
        ["trl", "gkd"],
    ],
    "import/no-training": [["python", "train.py"], ["make", "train"]],
}  # fmt: skip


@pytest.mark.parametrize(("code", "words"), [(c, w) for c, ws in REFUSED.items() for w in ws])
def test_what_no_method_runs_is_refused(code: str, words: list[str], tmp_path: Path) -> None:
    with pytest.raises(StarForgeError) as caught:
        from_argv(words, tmp_path, CATALOG)
    assert caught.value.code == code
    assert caught.value.hint is not None


def test_a_program_of_ones_own_is_not_taken_for_trl(tmp_path: Path) -> None:
    put(tmp_path, "sft.py", "trainer = SFTTrainer(args=SFTConfig(learning_rate=1e-5))\n")
    with pytest.raises(StarForgeError) as caught:
        from_argv(["python", "sft.py"], tmp_path, CATALOG)
    assert caught.value.code == "import/own-code"


def test_a_launch_in_a_loop_asks_for_run(tmp_path: Path) -> None:
    text = "for s in 1 2; do python -m verl.trainer.main_ppo data.seed=$s; done\n"
    with pytest.raises(StarForgeError) as caught:
        from_script(put(tmp_path, "s.sh", text), CATALOG)
    assert caught.value.code == "import/no-training"
    assert "--run" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("name", "content"), [("x.sh", "echo 'never closed"), ("x.yaml", "a: [1"), ("y.yaml", "a: 1")]
)
def test_files_that_are_nothing_are_refused(tmp_path: Path, name: str, content: str) -> None:
    file = put(tmp_path, name, content)
    with pytest.raises(StarForgeError):
        from_yaml(file, CATALOG) if name.endswith("yaml") else from_script(file, CATALOG)
