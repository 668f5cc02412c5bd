import pytest

from starforge.findings import all_rules
from starforge.lab.experiment import load_experiment
from starforge.lab.values import parse_duration, parse_profile, parse_size


def load(write, text, config=None):
    experiment, findings = load_experiment(write(text, config))
    return experiment, [(f.code, f.at.key, f.at.line) for f in findings]


def test_everything_is_typed(write):
    text = """\
method: mini/train
model: models/base
data: {train: data/train.jsonl, validation: dataset:val@2}
params: {learning_rate: 5e-7}
resources: gpu:2
policies: {nan_loss: no, nan_metrics: [loss], time_limit: 1h30m, stop_grace: 5,
  disk_full: yes, disk_reserve: 5GiB, stalled: 30m}
description: 试验
tags: [a, b]
priority: 3
"""
    experiment, findings = load(write, text, "shuffle: false\n")
    assert findings == []
    assert experiment.params == {"learning_rate": 5e-7}
    assert experiment.data["validation"] == "dataset:val@2"
    assert experiment.policies.nan_loss is False
    assert experiment.policies.time_limit == 5400
    assert experiment.policies.disk_full is True
    assert (experiment.policies.disk_reserve, experiment.policies.stalled) == (5 * 2**30, 1800)
    assert experiment.config == {"shuffle": False}
    assert (experiment.resources, experiment.priority, experiment.tags) == ("gpu:2", 3, ["a", "b"])
    assert experiment.at("data.train").line == 3


def test_all_findings_at_once(write):
    text = """\
method: mini/train
resource: local
data: {train: a.jsonl, val: 3}
policies: {time_limit: soon, stop_grace: -1, nan: true, disk_reserve: plenty}
priority: high
tags: one
description: 1.5
"""
    experiment, findings = load(write, text)
    assert sorted(findings) == [
        ("experiment/duration", "policies.stop_grace", 4),
        ("experiment/duration", "policies.time_limit", 4),
        ("experiment/size", "policies.disk_reserve", 4),
        ("experiment/unknown-key", "data.val", 3),
        ("experiment/unknown-key", "policies.nan", 4),
        ("experiment/unknown-key", "resource", 2),
        ("experiment/wrong-type", "description", 7),
        ("experiment/wrong-type", "priority", 5),
        ("experiment/wrong-type", "tags", 6),
    ]
    assert experiment.data == {"train": "a.jsonl"}


@pytest.mark.parametrize(
    ("key", "meant"),
    [("resource", "resources"), ("parameters", "params"), ("Model", "model"), ("dataset", "data")],
)
def test_the_nearest_key_is_named(write, key, meant):
    _, findings = load_experiment(write(f"method: mini/train\n{key}: x\n"))
    finding = next(f for f in findings if f.code == "experiment/unknown-key")
    assert f"`{meant}`" in finding.hint.en
    assert f"`{meant}`" in finding.hint.zh


def test_hints_for_common_slips(write):
    _, findings = load_experiment(write("method: mini/train\ndata: train.jsonl\ntags: one\n"))
    assert "data: {train: train.jsonl}" in findings[0].hint.en
    assert "[one]" in findings[1].hint.zh


def test_no_method(write):
    assert load(write, "params: {a: 1}\n") == (None, [("experiment/no-method", "method", None)])
    assert load(write, "method: 3\n")[1] == [("experiment/wrong-type", "method", 1)]
    assert load(write, "")[1] == [("experiment/no-method", "method", None)]


def test_empty_values_count_as_not_written(write):
    experiment, findings = load(write, "method: mini/train\nmodel:\ndata:\nparams:\n")
    assert findings == []
    assert (experiment.model, experiment.data, experiment.params) == (None, {}, {})


def test_no_file(tmp_path):
    experiment, findings = load_experiment(tmp_path)
    assert experiment is None
    assert [f.code for f in findings] == ["experiment/no-file"]
    assert str(tmp_path) in findings[0].message.zh


def test_findings_of_both_files_come_together(write):
    experiment, findings = load(write, "method: [\n", "a: 1\na: 2\n")
    assert experiment is None
    assert {code for code, _, _ in findings} == {"yaml/syntax", "yaml/duplicate-key"}


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(90, 90), (1.5, 1.5), ("90s", 90), ("1h30m", 5400), ("1d", 86400), ("1.5h", 5400),
     ("2 h", 7200), ("30M", 1800)],
)  # fmt: skip
def test_durations(value, seconds):
    assert parse_duration(value) == seconds


@pytest.mark.parametrize("value", [0, -1, True, "", "h", "2x", "m30", None, [1], "1h 2"])
def test_no_durations(value):
    assert parse_duration(value) is None


@pytest.mark.parametrize(
    ("profile", "cpus", "gpus"),
    [("local", 2, 0), ("cpu:4", 4, 0), ("gpu:1", 2, 1), ("gpu:8", 8, 8)],
)
def test_profiles(catalog, profile, cpus, gpus):
    resources = parse_profile(profile, catalog.recipe("mini/train"))
    assert (resources.cpus, resources.gpus, resources.profile) == (cpus, gpus, profile)


@pytest.mark.parametrize("profile", ["", "gpu", "gpu:0", "gpu:-1", "tpu:2", "cpu:99999", "GPU:1"])
def test_unknown_profiles(catalog, profile):
    assert parse_profile(profile, catalog.recipe("mini/train")) is None


# Rules whose examples are whole experiment.yaml files that need no catalog to be judged.
BY_FILE = ["unknown-key", "wrong-type", "no-method", "duration"]


@pytest.mark.parametrize("name", BY_FILE)
def test_the_examples_of_the_rules(write, name):
    rule = next(rule for rule in all_rules() if rule.code == f"experiment/{name}")
    assert rule.code in [code for code, _, _ in load(write, rule.bad)[1]]
    assert load(write, rule.good)[1] == []


@pytest.mark.parametrize(
    ("value", "size"),
    [(4096, 4096), ("4096", 4096), ("500MB", 5e8), ("500 mb", 5e8), ("5GiB", 5 * 2**30),
     ("1.5g", 1.5 * 2**30), ("2TB", 2e12), ("10 B", 10), ("1KiB", 1024)],
)  # fmt: skip
def test_sizes(value, size):
    assert parse_size(value) == size


@pytest.mark.parametrize("value", [0, -1, True, "", "GiB", "5 bananas", "5gg", [1], "-3MB", None])
def test_what_is_no_size(value):
    assert parse_size(value) is None
