"""Keys of other frameworks, and words of a command line, in the files of an experiment."""

import pytest

from starforge.catalog.load import load_catalog
from starforge.lab.document import parse_document
from starforge.lab.experiment import load_experiment
from starforge.lab.resolve import resolve


@pytest.fixture
def found(write):
    """Return the findings of an experiment of the bundled catalog."""

    def found(method, config=None, params="", sets=()):
        body = f"method: {method}\n" + (f"params: {params}\n" if params else "")
        experiment, findings = load_experiment(write(body, config))
        recipe = load_catalog().recipe(method)
        return findings + resolve(experiment, recipe, load_catalog().contract(recipe), sets)[1]

    return found


@pytest.mark.parametrize(
    ("method", "key", "words"),
    [
        ("trl/sft", "actor.adam.lr", "OpenRLHF's name; here it is `learning_rate`"),
        ("trl/sft", "trainer.total_epochs", "verl's name; here it is `epochs`"),
        ("verl/grpo", "num_generations", "`group_size` (`actor_rollout_ref.rollout.n`)"),
        ("nemo-rl/grpo", "num_generations", "`group_size` (`grpo.num_generations_per_prompt`)"),
        ("openrlhf/ppo", "policy.model_name", "it comes from `model` in experiment.yaml"),
        ("trl/sft", "ppo_mini_batch_size", "belongs to verl; trl/sft has nothing"),
        ("trl/sft", "grpo.num_prompts_per_step", "trl/sft has nothing"),
        ("nemo-rl/grpo", "max_num_steps", "`grpo.max_num_steps`"),
    ],
)
def test_a_key_of_another_framework_is_known_in_every_place(found, method, key, words):
    in_sets = found(method, sets=[f"{key}=1"])
    in_config = found(method, f"{key}: 1\n")
    assert [one.code for one in in_config + in_sets] == ["config/unknown-key"] * 2
    for one in in_config + in_sets:
        assert words in one.hint.en
        assert one.hint.zh != one.hint.en
    _, in_params = found(method, params=f"{{{key}: 1}}")
    assert in_params.code == "config/unknown-parameter"
    if "here it is" in words:
        assert words in in_params.hint.en


def test_a_section_that_is_not_there_leads_to_the_key_inside(found):
    (one,) = found("trl/sft", "training:\n  learning_rate: 1e-5\n")
    assert "`learning_rate`" in one.hint.en


@pytest.mark.parametrize(
    ("text", "line", "better"),
    [
        ("--adam.lr 1e-6 \\\n--train.epochs 3\n", 1, "`adam.lr: 1e-6`"),
        ("# run\ntrainer.total_epochs=3\n", 2, "`trainer.total_epochs: 3`"),
        ("- data.train_files=[a.parquet]\n- +a.b=1\n", 1, "`data.train_files: [a.parquet]`"),
        ("--bf16\n", 1, "`bf16: true`"),
        ("learning_rate: 1e-5\n--num_train_epochs 3\n", 2, "`num_train_epochs: 3`"),
    ],
)
def test_words_of_a_command_line_are_one_finding(text, line, better):
    document, findings = parse_document(text.encode(), "config.yaml")
    assert document.broken
    assert [(one.code, one.at.line) for one in findings] == [("yaml/shell-form", line)]
    assert better in findings[0].hint.en


def test_a_syntax_error_elsewhere_stays_one():
    text = "a: [1, 2\nb: 3\nc: 4\nd: |\n  --x 1\n"
    _, findings = parse_document(text.encode(), "config.yaml")
    assert [one.code for one in findings] == ["yaml/syntax"]


def test_words_below_a_key_and_backslashes(found):
    (one,) = found("verl/grpo", "trainer:\n  - total_epochs=3\n")
    assert (one.code, one.at.line) == ("yaml/shell-form", 1)
    (one,) = found("verl/grpo", "trainer.total_epochs: 3 \\\n")
    assert one.code == "config/wrong-type"
    assert "`\\`" in one.hint.en


def test_dashes_before_a_known_key_are_taken_as_meant(found):
    assert found("openrlhf/sft", "--adam.lr: 1e-6\n") == []
    assert found("openrlhf/sft", sets=["--adam.lr=1e-6"]) == []
    (one,) = found("openrlhf/sft", sets=["--adam.lr 1e-6"])
    assert one.hint.en == "write `--set adam.lr=1e-6`"
