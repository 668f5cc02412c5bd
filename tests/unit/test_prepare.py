import dataclasses
import json
from pathlib import Path

import pytest

from starforge.catalog.load import load_catalog
from starforge.findings import Finding
from starforge.lab.bundle import pack, unpack
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import LocalResolver, prepare, runtime_digests


@dataclasses.dataclass
class GivenInputs:
    """What a server has: inputs as submitted, and a copy of the data somewhere else."""

    prepared: object
    folder: Path

    def model(self, reference, name="model"):
        return next(one for one in self.prepared.context.models if one.name == name)

    def data(self, reference, split):
        source = self.prepared.context.data[split]
        copy = self.folder / f"{split}-copy"
        copy.write_bytes(source.path.read_bytes())
        return type(source)(split=split, ref=source.ref, shown=reference, path=copy)


@pytest.fixture
def lab(tmp_path):
    init_lab(tmp_path / "lab", "en")
    return Lab(tmp_path / "lab")


@pytest.fixture
def new(lab):
    def new(method="trl/sft", name="exp", lang="en"):
        catalog = load_catalog()
        recipe = catalog.recipe(method)
        digests = runtime_digests(recipe)
        return new_experiment(lab, name, recipe, catalog, runtime=digests, lang=lang)

    return new


def codes(prepared, severity="error"):
    return [f.code for f in prepared.findings if f.severity == severity]


def replace(folder, old, new, file="experiment.yaml"):
    text = (folder / file).read_text("utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), "utf-8")


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("method", load_catalog().names())
def test_every_method_is_ready_as_created(new, method, lang):
    prepared = prepare(new(method, lang=lang))
    assert prepared.findings == []
    assert prepared.plan.method == method
    assert prepared.plan.processes


@pytest.mark.parametrize("method", load_catalog().names())
def test_the_plan_is_the_same_from_the_bundle_on_a_server(new, method, tmp_path):
    prepared = prepare(new(method), sets=[])
    archive = tmp_path / "bundle"
    archive.write_bytes(pack(prepared.files).data)
    unpack(archive, tmp_path / "server/upload-1")
    again = prepare(tmp_path / "server/upload-1", resolver=GivenInputs(prepared, tmp_path))
    assert again.findings == []
    assert again.plan.digest() == prepared.plan.digest()


def test_the_plan_follows_what_was_written(new):
    folder = new()
    base = prepare(folder).plan
    assert prepare(folder).plan.digest() == base.digest()
    assert prepare(folder, sets=["learning_rate=3e-4"]).plan.digest() != base.digest()
    assert prepare(folder, profile="cpu:4").plan.resources.cpus == 4
    (folder / "extra.py").write_text("x = 1\n")
    assert prepare(folder).plan.digest() != base.digest()
    with (folder / "data/train.jsonl").open("a") as stream:
        stream.write(json.dumps({"text": "more"}) + "\n")
    assert "data.train" in {i.name for i in base.inputs}
    assert not prepare(folder).ok or prepare(folder).plan.inputs != base.inputs


def test_everything_wrong_comes_at_once_and_in_order(new):
    folder = new()
    replace(folder, "model: starforge:tiny", "model: ./nowhere")
    replace(folder, "train: data/train.jsonl", "train: data/gone.jsonl")
    replace(folder, "resources: local", "resources: many\nprioritee: 1")
    (folder / "config.yaml").write_text("output_dir: x\nlearning_rat: 1\n")
    (folder / "recipe.lock.json").write_text("{")
    prepared = prepare(folder, sets=["batch_size=zero"])
    assert prepared.plan is None
    assert not prepared.ok
    assert sorted(codes(prepared)) == [
        "config/pinned", "config/unknown-key", "config/wrong-type", "experiment/unknown-key",
        "experiment/unknown-profile", "input/not-found", "input/not-found", "lock/broken",
    ]  # fmt: skip
    places = [(f.at.file, f.at.line) for f in prepared.findings if f.at.file == "experiment.yaml"]
    assert places == sorted(places)
    model = next(f for f in prepared.findings if f.at.key == "model")
    assert model.at.value == "./nowhere"
    assert model.at.line
    for finding in prepared.findings:
        public = finding.to_public("zh")
        assert set(public) == {"code", "severity", "file", "line", "column", "key", "value",
                               "message", "hint"}  # fmt: skip
        json.dumps(public, allow_nan=False)


def test_inputs_that_are_missing_or_not_used(new):
    folder = new()
    replace(folder, "model: starforge:tiny", "")
    replace(folder, "train: data/train.jsonl", "test: data/train.jsonl")
    prepared = prepare(folder)
    assert codes(prepared) == ["input/missing", "input/missing"]
    assert "input/unused" in codes(prepared, "warning")


def test_a_wrong_type_is_not_also_missing(new):
    folder = new()
    replace(folder, "model: starforge:tiny", "model: [a]")
    assert codes(prepare(folder)) == ["experiment/wrong-type"]


def test_unknown_methods_name_the_nearest(new):
    folder = new()
    replace(folder, "method: trl/sft", "method: trl/stf")
    prepared = prepare(folder)
    assert codes(prepared) == ["experiment/unknown-method"]
    assert "`trl/sft`" in prepared.findings[0].hint.zh
    assert prepared.experiment.method == "trl/stf"


def test_things_of_the_server_are_kept_symbolic_offline(new):
    folder = new()
    replace(folder, "model: starforge:tiny", "model: job:k3f9a2")
    replace(folder, "train: data/train.jsonl", "train: dataset:mine@2")
    prepared = prepare(folder)
    assert codes(prepared, "info").count("input/needs-server") == 2
    assert prepared.ok
    inputs = {i.name: (i.kind, i.location) for i in prepared.plan.inputs}
    assert inputs == {"model": ("job", "k3f9a2"), "data.train": ("registry", "mine@2")}


def test_files_that_cannot_travel_are_findings(new):
    folder = new("custom/custom")
    (folder / "link").symlink_to("/tmp")
    (folder / "gone").symlink_to("nowhere")
    prepared = prepare(folder)
    assert codes(prepared) == ["bundle/file", "bundle/file"]
    assert prepared.findings[0].hint is not None


def test_drift_is_refused_and_another_runtime_a_warning(new):
    folder = new()
    lock = json.loads((folder / "recipe.lock.json").read_text())
    (folder / "recipe.lock.json").write_text(json.dumps(lock | {"recipe": "0" * 64}))
    assert codes(prepare(folder)) == ["lock/drift"]
    (folder / "recipe.lock.json").write_text(json.dumps(lock | {"runtime": {"cpu": "0" * 64}}))
    prepared = prepare(folder)
    assert prepared.ok
    assert codes(prepared, "warning") == ["lock/runtime"]
    (folder / "recipe.lock.json").write_text(json.dumps(lock | {"version": "0.1.0"}))
    assert codes(prepare(folder)) == ["lock/version"]
    (folder / "recipe.lock.json").unlink()
    assert prepare(folder).findings == []


def test_the_lock_of_a_prepared_experiment_names_its_inputs(new):
    prepared = prepare(new())
    assert prepared.lock.inputs["model"] == "starforge:tiny"
    assert len(prepared.lock.inputs["data.train"]) == 64


def test_findings_of_a_resolver_get_their_place(new):
    class Refusing(LocalResolver):
        def model(self, reference, name="model"):
            from starforge.findings import Location
            from starforge.lab import rules_experiment as rules

            return rules.INPUT_UNREADABLE.at(Location(), ref=reference, reason="no")

    folder = new()
    prepared = prepare(folder, resolver=Refusing.for_folder(folder))
    assert isinstance(prepared.findings[0], Finding)
    assert (prepared.findings[0].at.file, prepared.findings[0].at.key) == (
        "experiment.yaml", "model",
    )  # fmt: skip


def test_a_folder_without_an_experiment(tmp_path):
    assert codes(prepare(tmp_path)) == ["experiment/no-file"]
