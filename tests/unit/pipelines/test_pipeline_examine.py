"""Everything is checked before anything runs: each stage, and that stages fit together."""

import json

import pytest
import yaml
from models import make_model

from starforge.catalog.load import load_catalog
from starforge.errors import StarForgeError
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.pipelines.examine import examine, find_pipeline, pipelines_of
from starforge.pipelines.load import load_pipeline
from starforge.pipelines.templates import TEMPLATES, new_pipeline, pipeline_text

TINY = "starforge:tiny"
METHODS = {"sft": "trl/sft", "rm": "trl/rm", "ppo": "openrlhf/ppo", "opsd": "trl/opsd",
           "own": "custom/custom"}  # fmt: skip


@pytest.fixture
def lab(tmp_path):
    init_lab(tmp_path / "lab")
    made = Lab(tmp_path / "lab")
    catalog = load_catalog()
    for name, method in METHODS.items():
        new_experiment(made, name, catalog.recipe(method), catalog)
    return made


@pytest.fixture
def check(lab, tmp_path):
    """Examine a pipeline of these stages; return it with its codes but for notes."""
    count = iter(range(100))

    def run(stages):
        file = lab.root / "pipelines" / "p" / "pipeline.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(stages if isinstance(stages, str) else yaml.safe_dump({"stages": stages}))
        found = examine(file, tmp_path / f"work{next(count)}")
        return found, [one.code for one in found.findings if one.severity == "error"]

    return run


def bench(**more):
    return {"benchmark": "basics", "model": TINY, **more}


def test_stages_that_fit_have_plans_that_name_what_is_to_come(check):
    found, errors = check({
        "make": {"experiment": "own"},
        "sft": {"experiment": "sft", "data_from": {"train": "make:rows.jsonl"}},
        "rm": {"experiment": "rm", "init_from": "sft", "set": {"learning_rate": 1e-5}},
        "ppo": {"experiment": "ppo", "init_from": "sft@last", "reward_from": "rm"},
        "base": bench(),
        "score": {"benchmark": "basics", "model_from": "ppo", "gate": "basics.acc >= base + 2se"},
    })  # fmt: skip
    assert errors == []
    assert found.ok
    plans = {name: one.prepared.plan for name, one in found.stages.items()}
    inputs = {name: {ref.name: ref.location for ref in plan.inputs} for name, plan in plans.items()}
    assert inputs["sft"] == {"model": TINY, "data.train": "stage:make:rows.jsonl"}
    assert inputs["ppo"]["model"] == "stage:sft@last"
    assert inputs["ppo"]["reward"] == "stage:rm"
    assert inputs["score"] == {"model": "stage:ppo"}
    assert plans["rm"].parameters["learning_rate"] == 1e-5
    assert found.order.index("score") > found.order.index("ppo") > found.order.index("rm")
    again, _ = check(found.file.read_text())
    for name, plan in plans.items():
        assert again.stages[name].prepared.plan.digest() == plan.digest()


@pytest.mark.parametrize(
    ("stages", "code", "key"),
    [
        ({"a": {"experiment": "none"}}, "pipeline/no-experiment", "stages.a.experiment"),
        ({"a": {"benchmark": "basics"}}, "pipeline/no-model", "stages.a"),
        ({"a": {"experiment": "sft", "needs": "b"}}, "pipeline/unknown-stage", "stages.a.needs"),
        ({"a": {"experiment": "own", "needs": "b"}, "b": {"experiment": "own", "needs": "a"}},
         "pipeline/cycle", "stages.a"),
        ({"a": {"experiment": "rm"}, "b": {"experiment": "sft", "init_from": "a"}},
         "pipeline/output", "stages.b.init_from"),
        ({"a": {"experiment": "sft"}, "b": {"experiment": "ppo", "reward_from": "a"}},
         "pipeline/output", "stages.b.reward_from"),
        ({"a": {"experiment": "rm"}, "b": {"benchmark": "basics", "model_from": "a"}},
         "pipeline/output", "stages.b.model_from"),
        ({"a": bench(), "b": {"experiment": "sft", "init_from": "a"}},
         "pipeline/output", "stages.b.init_from"),
        ({"a": {"experiment": "rm"}, "b": {"experiment": "sft", "reward_from": "a"}},
         "pipeline/not-taken", "stages.b.reward_from"),
        ({"a": bench(gate="basics.accuracy >= 0.1")}, "pipeline/gate-metric", "stages.a.gate"),
        ({"a": bench(gate="arithmetic.exact_match >= 0.1")}, "pipeline/gate-metric",
         "stages.a.gate"),
        ({"a": {"experiment": "sft", "gate": "basics.acc >= 1"}}, "pipeline/gate-metric",
         "stages.a.gate"),
        ({"a": bench(set={"limit": 3}), "b": bench(gate="basics.acc >= a")},
         "pipeline/gate-differs", "stages.b.gate"),
        ({"a": {"experiment": "sft", "set": {"learning_rat": 1}}}, "config/unknown-key",
         "stages.a.set.learning_rat"),
        ({"a": {"experiment": "sft", "model": "./nowhere"}}, "input/not-found", "stages.a.model"),
        ({"a": bench(resources="tpu")}, "experiment/unknown-profile", "stages.a.resources"),
        ({"a": {"benchmark": "basic", "model": TINY}}, "eval/unknown-benchmark",
         "stages.a.benchmark"),
        ({"a": {"experiment": "sft"}, "b": {"experiment": "sft", "init_from": "a@best"}},
         "pipeline/no-checkpoint", "stages.b.init_from"),
        ({"a": {"experiment": "sft"}, "b": {"experiment": "sft", "init_from": "a@step-100000"}},
         "pipeline/no-checkpoint", "stages.b.init_from"),
        ({"a": {"experiment": "sft"},
          "b": {"experiment": "sft", "data_from": {"train": "a:rows.jsonl"}}},
         "pipeline/no-rows", "stages.b.data_from.train"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_where_it_was_written(check, stages, code, key):
    found, errors = check(stages)
    assert code in errors
    (finding, *_) = [one for one in found.findings if one.code == code]
    assert (finding.at.key, finding.at.file) == (key, "pipelines/p/pipeline.yaml")
    assert finding.at.line is not None


def test_an_input_that_is_refused_is_not_called_unused_as_well(check):
    found, _ = check({"a": {"experiment": "rm"}, "b": {"experiment": "sft", "reward_from": "a"}})
    told = [one.code for one in found.findings if one.at.key == "stages.b.reward_from"]
    assert told == ["pipeline/not-taken"]


def test_a_reward_model_may_be_trained_further_and_a_script_may_leave_anything(check):
    _, errors = check({
        "rm": {"experiment": "rm"},
        "rm2": {"experiment": "rm", "init_from": "rm"},
        "own": {"experiment": "own", "init_from": "rm"},
        "ppo": {"experiment": "ppo", "init_from": "own", "reward_from": "own"},
    })  # fmt: skip
    assert errors == []


def test_what_a_stage_leaves_is_said_in_both_languages(check):
    found, _ = check({"base": bench(), "sft": {"experiment": "sft", "init_from": "base"}})
    (said,) = [one.message for one in found.findings if one.code == "pipeline/output"]
    assert said.en == (
        "stage `base` (evalkit/benchmark) leaves no model, but `init_from` needs a language model"
    )
    assert said.zh == "阶段 `base`（evalkit/benchmark）不产出模型，而 `init_from` 需要语言模型"


def test_a_gate_on_a_benchmark_that_is_none_is_not_blamed_too(check):
    wrong = {"base": bench(benchmark=["basics", "basisc"], gate="basics.acc >= 0.5")}
    assert check(wrong)[1] == ["eval/unknown-benchmark"]


def test_a_gate_on_a_script_can_not_be_known_before(check):
    found, errors = check({"a": {"experiment": "own", "gate": "mine.acc >= 1"}})
    assert errors == []
    assert [one.code for one in found.findings] == ["pipeline/gate-unsure"]


def test_a_finding_of_an_experiment_has_its_file_in_the_lab(check, lab):
    file = lab.root / "experiments" / "sft" / "experiment.yaml"
    file.write_text(file.read_text().replace("method:", "metod: x\nmethod:"))
    found, errors = check({"a": {"experiment": "sft"}, "b": {"experiment": "sft"}})
    assert errors == ["experiment/unknown-key"]  # said once, though two stages have it
    assert found.findings[0].at.file == "experiments/sft/experiment.yaml"


def test_a_stage_is_checked_with_the_model_its_chain_starts_from(check, lab):
    """The base model has no tokenizer: that is said of the stages after the first, too."""
    model = lab.root / "models" / "base"
    model.mkdir(parents=True)
    (model / "config.json").write_text(json.dumps({"architectures": ["X"], "model_type": "llama"}))
    found, errors = check({
        "sft": {"experiment": "sft", "model": "models/base"},
        "rm": {"experiment": "rm", "init_from": "sft"},
    })  # fmt: skip
    places = {one.at.key for one in found.findings if one.code.startswith("model/")}
    assert {"stages.sft.model", "stages.rm.init_from"} <= places
    assert errors


def test_rows_are_measured_with_the_tokenizer_of_the_model_at_the_start(check, lab):
    make_model(lab.root / "models" / "base")
    found, errors = check({
        "sft": {"experiment": "sft", "model": "models/base"},
        "rm": {"experiment": "rm", "init_from": "sft"},
    })  # fmt: skip
    assert errors == []
    assert sum(one.code == "data/lengths" for one in found.findings) >= 2


def test_pipelines_are_found_by_name_folder_and_file(check, lab):
    found, _ = check({"a": {"experiment": "own"}})
    assert pipelines_of(lab) == [found.file]
    for text in ("p", "pipelines/p", "pipelines/p/pipeline.yaml"):
        assert find_pipeline(text, lab.root) == found.file
    with pytest.raises(StarForgeError) as refused:
        find_pipeline("q", lab.root)
    assert refused.value.code == "pipeline/not-found"


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_validates_as_created(lab, tmp_path, template):
    made = new_pipeline(lab, "new", template, load_catalog())
    found = examine(find_pipeline("new", lab.root), tmp_path / "work")
    assert found.ok
    assert [one for one in found.findings if one.severity == "warning"] == []
    assert set(found.order) == set(found.pipeline.stages)
    assert {path.name for path in made[:-1]} == {
        one.experiment for one in found.pipeline.stages.values() if one.experiment
    }
    with pytest.raises(StarForgeError, match="is there already"):
        new_pipeline(lab, "new", template, load_catalog())


@pytest.mark.parametrize("template", TEMPLATES.values(), ids=lambda one: one.name)
def test_a_template_is_the_same_in_both_languages(template):
    english, chinese = (
        load_pipeline(pipeline_text(template, "n", "models/b", lang).encode(), "n")
        for lang in ("en", "zh")
    )
    assert english[1] == chinese[1] == []
    assert english[0].stages == chinese[0].stages


def test_a_pipeline_that_can_not_be_made_leaves_nothing(lab):
    before = sorted(path.name for path in (lab.root / "experiments").iterdir())
    (lab.root / "experiments" / "x-dpo").mkdir()
    with pytest.raises(StarForgeError, match="x-dpo"):
        new_pipeline(lab, "x", "sft-dpo-benchmark", load_catalog())
    with pytest.raises(StarForgeError, match="can't be the name"):
        new_pipeline(lab, "../x", "sft-dpo-benchmark", load_catalog())
    assert sorted(path.name for path in (lab.root / "experiments").iterdir()) == sorted(
        [*before, "x-dpo"]
    )
    assert not (lab.root / "pipelines").exists()
