import pytest

from starforge.lab.set_value import parse_value


def codes(findings):
    return [(f.code, f.at.file, f.at.line, f.at.key) for f in findings]


def test_the_order_of_layers(resolved):
    config, findings = resolved()
    assert findings == []
    assert config.get("actor.optim.lr") == 2e-5
    assert config.source("actor.optim.lr") == "recipe"
    assert config.source("shuffle") == "upstream"
    config, _ = resolved(config="actor: {optim: {lr: 3e-5}}\n")
    assert (config.get("actor.optim.lr"), config.source("actor.optim.lr")) == (3e-5, "config.yaml")
    config, _ = resolved(params="{learning_rate: 4e-5}", config="shuffle: false\n")
    assert config.parameters["learning_rate"] == 4e-5
    assert config.source("actor.optim.lr") == "experiment.yaml"
    config, findings = resolved(
        params="{learning_rate: 4e-5}", config="actor.optim.lr: 3e-5\n", sets=["learning_rate=5e-5"]
    )
    assert findings == []
    assert (config.get("actor.optim.lr"), config.source("actor.optim.lr")) == (5e-5, "--set")
    config, _ = resolved(sets=["actor.optim.lr=6e-5", "batch_size=4", "batch_size=5"])
    assert (config.get("actor.optim.lr"), config.get("rows_per_step")) == (6e-5, 5)


def test_differs_lists_what_is_not_upstreams_default(resolved):
    config, _ = resolved(params="{batch_size: 8}", config="shuffle: false\n")
    differs = {d.path: (d.value, d.default, d.source, d.parameter) for d in config.differs}
    assert differs == {
        "actor.optim.lr": (2e-5, 1e-3, "recipe", "learning_rate"),
        "out": ("${OUTPUT}/checkpoints", None, "pin", None),
        "shuffle": (False, True, "config.yaml", None),
    }
    assert config.is_set_by_user("rows_per_step")
    assert not config.is_set_by_user("actor.optim.lr")
    assert config.at("shuffle").line == 1
    assert config.at_parameter("batch_size").line == 2
    assert config.nested()["actor"] == {"optim": {"lr": 2e-5}}
    assert set(config.nested(only_differs=True)) == {"actor", "out", "shuffle"}


def test_values_take_the_type_they_mean(resolved):
    config, findings = resolved(
        params="{learning_rate: '5e-7', batch_size: 1e1}", config="shuffle: no\nbetas: [0, 1]\n"
    )
    assert findings == []
    assert config.get("actor.optim.lr") == 5e-7
    assert type(config.get("rows_per_step")) is int
    assert config.get("shuffle") is False
    assert config.get("betas") == [0.0, 1.0]


@pytest.mark.parametrize(
    ("written", "code", "hint"),
    [
        ("rows_per_stpe: 3", "config/unknown-key", "`rows_per_step`"),
        ("learning_rate: 1e-5", "config/unknown-key", "`actor.optim.lr`"),
        ("actor: {optim: {lrr: 1}}", "config/unknown-key", "`actor.optim.lr`"),
        ("optim: {lr: 1}", "config/unknown-key", None),
        ("max_rows: 3", "config/renamed-key", "`rows_per_step` (parameter `batch_size`)"),
        ("old_name: 3", "config/deprecated-key", "`rows_per_step`"),
        ("out: /tmp", "config/pinned", "remove it"),
        ("rows_per_step: many", "config/wrong-type", None),
        ("rows_per_step: true", "config/wrong-type", None),
        ("rows_per_step:", "config/wrong-type", None),
        ("save_mode: 3", "config/wrong-type", 'quotes around it: "3"'),
        ("targets: q_proj", "config/wrong-type", "[q_proj]"),
        ("rows_per_step: 0", "config/out-of-range", "default is 8"),
        ("actor: {optim: {lr: 0}}", "config/out-of-range", "2e-05"),
        ("betas: [0.9, 1.5]", "config/out-of-range", None),
        ("save_mode: step", "config/not-a-choice", "`steps`"),
        ("save_mode: weekly", "config/not-a-choice", "no, steps, epoch"),
    ],
)
def test_what_is_wrong_in_config(resolved, written, code, hint):
    config, findings = resolved(config=written + "\n")
    assert [f.code for f in findings] == [code]
    finding = findings[0]
    assert (finding.at.file, finding.at.line) == ("config.yaml", 1)
    assert finding.message.zh != finding.message.en
    if hint:
        assert hint in finding.hint.en
    if finding.severity == "error":
        default, _ = resolved()
        assert config.values == default.values


@pytest.mark.parametrize(
    ("params", "hint"),
    [
        ("{learning_rat: 1}", "`learning_rate`"),
        ("{lr: 1}", "`learning_rate`"),
        ("{rows_per_step: 3}", "called `batch_size`"),
        ("{shuffle: true}", "config.yaml"),
        ("{max_rows: 2}", "`batch_size`"),
        ("{zebra: 2}", "sf methods mini/train"),
    ],
)
def test_unknown_parameters(resolved, params, hint):
    _, findings = resolved(params=params)
    assert [f.code for f in findings] == ["config/unknown-parameter"]
    assert findings[0].at.line == 2
    assert hint in findings[0].hint.en


def test_conflict_between_the_two_files(resolved):
    _, findings = resolved(params="{batch_size: 4}", config="# first\nrows_per_step: 5\n")
    assert codes(findings) == [("config/conflict", "experiment.yaml", 2, "params.batch_size")]
    assert "config.yaml:2" in findings[0].message.en
    _, findings = resolved(params="{batch_size: 4}", config="rows_per_step: 4.0\n")
    assert findings == []


def test_set_by_two_names(resolved):
    _, findings = resolved(sets=["learning_rate=1e-4", "actor.optim.lr=1e-5"])
    assert [f.code for f in findings] == ["config/conflict"]
    assert "`learning_rate`" in findings[0].message.en
    _, findings = resolved(sets=["learning_rate=1e-4", "actor.optim.lr=1e-4"])
    assert findings == []


def test_set_says_which_of_two_meanings_it_takes(resolved):
    # mini has a key of its own that is called like the parameter.
    config, findings = resolved(sets=["batch_size=4"])
    assert [(f.code, f.severity) for f in findings] == [("set/two-meanings", "info")]
    assert (config.get("rows_per_step"), config.get("batch_size")) == (4, "auto")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("batch_size", "set/syntax"),
        ("=3", "set/syntax"),
        ("targets=[a", "set/value"),
        ("learning_rate=nan", "set/value"),
        ("out=/tmp", "config/pinned"),
        ("bach_size=3", "config/unknown-key"),
        ("save_mode=step", "config/not-a-choice"),
        ("actor=3", "config/unknown-key"),
    ],
)
def test_what_is_wrong_with_set(resolved, text, code):
    _, findings = resolved(sets=[text])
    assert [f.code for f in findings] == [code]
    assert findings[0].at.file is None


def test_a_value_with_its_own_finding_is_reported_once(resolved):
    _, findings = resolved(params="{learning_rate: .nan}", config="betas: [0.9, .inf]\n")
    assert [f.code for f in findings] == ["yaml/not-finite", "yaml/not-finite"]


def test_mappings_take_inner_keys(resolved):
    config, findings = resolved(config="extra: {a: 1}\n", sets=["extra.b.c=2"])
    assert findings == []
    assert config.get("extra") == {"a": 1, "b": {"c": 2}}
    assert next(d.source for d in config.differs if d.path == "extra") == "config.yaml"


def test_an_open_configuration_takes_everything(resolved):
    config, findings = resolved(
        config="model: {dim: 8}\nlr: 1e-3\n", sets=["model.dim=16", "new=x"], method="mini/script"
    )
    assert findings == []
    assert config.values == {"script": "train.sh", "model": {"dim": 16}, "lr": 1e-3, "new": "x"}
    assert {d.path for d in config.differs} == {"model", "lr", "new"}


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ("5e-7", 5e-7), ("true", True), ("null", None), ("", ""), ("a: b", "a: b"),
     ("[a, 1]", ["a", 1]), ("{a: 1}", {"a": 1}), ('"3"', "3"), ("x=y", "x=y"), ("no", "no")],
)  # fmt: skip
def test_values_of_set(text, value):
    assert parse_value(text) == (value, None)


def test_arguments_that_are_no_text_can_still_be_shown(resolved):
    _, findings = resolved(sets=["batch_size=\udcff"])
    assert [f.code for f in findings] == ["set/value"]
    findings[0].message.en.encode("utf-8")
    str(findings[0].at.value).encode("utf-8")


def test_every_key_of_a_file_of_unknown_keys_is_judged(resolved):
    _, findings = resolved(config="".join(f"unknown_key_{n}: 1\n" for n in range(5000)))
    assert len(findings) == 5000
