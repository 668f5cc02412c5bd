"""Every method's experiment made small still prepares, and keeps what divides."""

import json
from pathlib import Path

import pytest

from starforge.catalog.load import load_catalog
from starforge.frameworks.trl.steps import batches
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare
from starforge.smoke.inputs import SmokeResolver, choose_rows
from starforge.smoke.lengths import lengths_for
from starforge.smoke.run import _written
from starforge.smoke.shrink import shrink

CATALOG = load_catalog()
TRAINED = [name for name in CATALOG.names() if name.split("/")[0] in ("trl", "verl", "openrlhf")]
ACCUMULATION = "gradient_accumulation_steps"
BIG_ROWS = 1100  # more than upstream's own batches take


class Small:
    """An experiment as ``sf new`` makes it, with changes, and its small form."""

    def __init__(self, folder: Path, method: str) -> None:
        init_lab(folder / "lab")
        self.work = folder
        self.recipe = CATALOG.recipe(method)
        self.folder = new_experiment(Lab(folder / "lab"), "try", self.recipe, CATALOG)

    def tried(self, *sets: str, profile: str | None = None, exact: bool = True):
        own = prepare(self.folder, sets=sets, profile=profile, catalog=CATALOG)
        assert own.ok, [(one.code, one.message.en) for one in own.findings]
        self.own = own.context
        lengths = lengths_for(264, 2048, exact=exact)
        self.shrunk = shrink(own.context, lengths)
        sources, self.chosen = choose_rows(own.context, self.shrunk, self.work / "rows")
        models = {ref.name: ref for ref in own.context.models}
        paths = own.context.config.paths
        ours = {paths.get(name, name) for name in self.shrunk.sets}
        kept = [s for s in sets if paths.get(s.partition("=")[0], s.partition("=")[0]) not in ours]
        smaller = [f"{name}={_written(value)}" for name, value in self.shrunk.sets.items()]
        return prepare(
            self.folder, sets=[*kept, *smaller], catalog=CATALOG,
            profile=profile if self.shrunk.mode == "look" else "cpu:2",
            resolver=SmokeResolver(own.context, models, sources),
        )  # fmt: skip

    def many_rows(self) -> None:
        file = self.folder / "data" / "train.jsonl"
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        with file.open("w", encoding="utf-8") as stream:
            for number in range(BIG_ROWS):
                stream.write(json.dumps({**rows[number % len(rows)], "number": number}) + "\n")


def errors(prepared):
    return [(one.code, one.message.en) for one in prepared.findings if one.severity == "error"]


@pytest.mark.parametrize("exact", [True, False], ids=["own-tokenizer", "other-tokenizer"])
@pytest.mark.parametrize("method", CATALOG.names())
def test_every_method_as_created(method, exact, tmp_path):
    small = Small(tmp_path, method)
    tried = small.tried(exact=exact)
    assert errors(tried) == []
    if small.shrunk.mode == "train":
        assert tried.plan.total_steps in (2, None), "two optimizer steps"
        assert tried.plan.resources.gpus == 0


@pytest.mark.parametrize("method", TRAINED)
def test_every_trained_method_at_the_size_of_upstreams_defaults(method, tmp_path):
    small = Small(tmp_path, method)
    small.many_rows()
    file = small.folder / "experiment.yaml"
    text = file.read_text("utf-8")
    names = set(small.recipe.scaffold.params)
    kept = [line for line in text.splitlines() if line.strip().partition(":")[0] not in names]
    file.write_text("\n".join(kept).replace("params:", "params: {}") + "\n", "utf-8")
    gpus = "gpu:3" if small.recipe.teacher == "required" else "gpu:2"
    sets = ("max_completion_tokens=1024",) if small.recipe.name == "openrlhf/ppo" else ()
    tried = small.tried(*sets, profile=gpus)
    assert errors(tried) == []
    assert len(small.chosen["train"].lines) <= 16
    rows = tried.context.data["train"].ref.rows
    assert rows <= 16


def test_a_group_stays_whole_however_batches_are_divided(tmp_path):
    small = Small(tmp_path, "trl/grpo")
    small.many_rows()
    for sets in (
        ("batch_size=1", "gradient_accumulation=8", "group_size=8"),
        ("batch_size=3", "gradient_accumulation=8", "group_size=12"),
        ("batch_size=8", "group_size=8", "steps_per_generation=4"),
        ("batch_size=8", "group_size=16", "generation_batch_size=64"),
        ("batch_size=7", "group_size=7"),
        ("batch_size=2", "group_size=2", "updates_per_batch=3"),
    ):
        tried = small.tried(*sets)
        assert errors(tried) == [], sets
        # Every row that was chosen is sampled from: none waits for a third step.
        made = batches(tried.context)
        generations = small.shrunk.steps / (made.passes / tried.context.config.get(ACCUMULATION))
        updates = tried.context.config.get("num_iterations")
        assert small.shrunk.rows == made.prompts * generations / updates


def test_answers_used_for_several_steps_stay_so(tmp_path):
    small = Small(tmp_path, "trl/grpo")
    small.many_rows()
    tried = small.tried("batch_size=8", "group_size=8", "steps_per_generation=4")
    assert tried.context.config.get("steps_per_generation") == 2
    assert small.shrunk.steps == 4, "two generations, each for two steps"


def test_mini_batches_keep_their_ratio(tmp_path):
    small = Small(tmp_path, "verl/grpo")
    small.many_rows()
    config = small.tried("prompts_per_step=64", "mini_batch_size=16").context.config
    assert config.get("data.train_batch_size") == 2
    assert config.get("actor_rollout_ref.actor.ppo_mini_batch_size") == 1
    config = small.tried("prompts_per_step=64", "mini_batch_size=64").context.config
    assert config.get("actor_rollout_ref.actor.ppo_mini_batch_size") == 2
    # One that does not go in stays one that does not go in.
    config = small.tried("prompts_per_step=64", "mini_batch_size=24").context.config
    mini = config.get("actor_rollout_ref.actor.ppo_mini_batch_size")
    assert config.get("data.train_batch_size") % mini


def test_batches_of_a_rollout_keep_their_number(tmp_path):
    small = Small(tmp_path, "openrlhf/grpo")
    small.many_rows()
    for batch, number in ((64, 1), (32, 2), (8, 2)):
        config = small.tried("prompts_per_step=8", "group_size=8", f"global_batch_size={batch}",
                             "batch_size=4").context.config  # fmt: skip
        samples = config.get("rollout.batch_size") * config.get("rollout.n_samples_per_prompt")
        assert samples // config.get("train.batch_size") == number


@pytest.mark.parametrize(
    ("method", "sets"),
    [
        ("openrlhf/sft", ("sequence_packing=true", "attention=flash_attention_2")),
        ("openrlhf/dpo", ("offload_reference=true", "tensor_parallel=2", "offload_optimizer=true")),
        ("openrlhf/grpo", ("dynamic_batch=true", "colocate=true")),
        ("verl/grpo", ("lora_rank=8", "rollout_tensor_parallel=2", "dynamic_batch=true")),
        ("verl/sft", ("sequence_parallel=2", "offload_params=true")),
    ],
)  # fmt: skip
def test_what_needs_a_gpu_is_switched_off_and_named(method, sets, tmp_path):
    small = Small(tmp_path, method)
    assert errors(small.tried(*sets, profile="gpu:2")) == []
    assert small.shrunk.open


def test_dynamic_sampling_is_named_as_not_proved(tmp_path):
    small = Small(tmp_path, "verl/dapo")
    small.tried()
    assert any("dynamic sampling" in text.en for text in small.shrunk.open)


def test_long_limits_are_lowered_and_said(tmp_path):
    small = Small(tmp_path, "trl/sft")
    small.tried("max_tokens=8192")
    assert small.shrunk.sets["max_tokens"] == small.shrunk.tokens == 1024
    small.tried("max_tokens=300")
    assert "max_tokens" not in small.shrunk.sets
    assert small.shrunk.tokens is None


def test_what_is_small_already_stays(tmp_path):
    small = Small(tmp_path, "trl/sft")
    small.tried("max_steps=2", "batch_size=1", "save_strategy=no", "gradient_accumulation=2")
    assert small.shrunk.sets == {}
    assert small.shrunk.rows == 4, "two steps of one row in two passes"
