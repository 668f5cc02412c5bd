"""What changed since an experiment was locked, and renaming dead keys in place."""

from __future__ import annotations

import msgspec
import pytest

from starforge.catalog.load import load_catalog
from starforge.catalog.models import ContractConfig, ContractKey, Renamed
from starforge.catalog.public import detail
from starforge.choose.diff import diff_methods, is_empty
from starforge.choose.drift import changes_between, drift_of, moves_between, public
from starforge.choose.rename_keys import rename_keys
from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.lab.lab import Lab
from starforge.lab.lock import read_lock, write_lock
from starforge.lab.scaffold import new_experiment
from starforge.prepare import runtime_digests


@pytest.fixture
def catalog():
    return load_catalog()


@pytest.fixture
def folder(tmp_path, catalog):
    recipe = catalog.recipe("trl/sft")
    return new_experiment(
        Lab(tmp_path), "exp", recipe, catalog, runtime=runtime_digests(recipe), lang="en"
    )


def lock_of(folder):
    lock, findings = read_lock(folder)
    assert not findings
    return lock


def change_lock(folder, **fields):
    write_lock(folder, msgspec.structs.replace(lock_of(folder), **fields))


def test_a_new_experiment_is_as_locked(folder, catalog):
    drift = drift_of(folder, catalog)
    assert (drift.changes, drift.refused, drift.dead) == ([], False, [])
    assert public(drift)["locked"] is True
    (folder / "recipe.lock.json").unlink()
    assert public(drift_of(folder, catalog))["locked"] is False


def test_changes_by_part(folder, catalog):
    now = lock_of(folder)
    old = msgspec.structs.replace(
        now, version="1.9.0", recipe="0" * 64, contract="1" * 64, runtime={"cpu": "2" * 64},
        inputs={"data.train": "3", "model": "org/name"},
    )  # fmt: skip
    current = msgspec.structs.replace(now, inputs={"data.train": "4", "model": "org/name"})
    found = {change.name: (change.part, change.refused) for change in changes_between(old, current)}
    assert found == {
        "version": ("version", True), "recipe": ("recipe", True), "contract": ("contract", True),
        "runtime.cpu": ("runtime", False), "data.train": ("data", False),
    }  # fmt: skip
    other = msgspec.structs.replace(old, method="trl/dpo")
    assert [(c.part, c.refused) for c in changes_between(other, current)] == [("method", False)]


def test_inputs_count_once_they_were_locked(folder, catalog):
    assert lock_of(folder).inputs == {}
    write_lock(folder, drift_of(folder, catalog).current)
    assert drift_of(folder, catalog).changes == []
    with (folder / "data/train.jsonl").open("a") as stream:
        stream.write('{"messages": [{"role": "user", "content": "a"}, '
                     '{"role": "assistant", "content": "b"}]}\n')  # fmt: skip
    assert [(c.part, c.refused) for c in drift_of(folder, catalog).changes] == [("data", False)]


def test_parameters_that_moved_are_named(folder):
    now = lock_of(folder)
    assert now.parameters["learning_rate"] == "learning_rate=0.00002"
    before = {**now.parameters, "gone": "x.gone=1", "learning_rate": "learning_rate=1e-5"}
    del before["epochs"]
    moves = moves_between(msgspec.structs.replace(now, parameters=before), now)
    assert (moves.gone, moves.new) == (["gone"], ["epochs"])
    assert moves.moved == {"learning_rate": ("learning_rate=1e-5", "learning_rate=0.00002")}
    older = msgspec.structs.replace(now, parameters={})
    assert moves_between(older, now).new == [], "a lock from before that was kept"


def test_dead_keys_are_found_with_their_place(folder, catalog):
    (folder / "config.yaml").write_text("a_key_of_old: 1\n")
    dead = drift_of(folder, catalog).dead
    assert [(one.at.file, one.at.line, one.code) for one in dead] == [
        ("config.yaml", 1, "config/unknown-key")
    ]


def test_what_can_not_be_read_is_an_error(folder, catalog):
    (folder / "recipe.lock.json").write_text("{")
    with pytest.raises(StarForgeError) as caught:
        drift_of(folder, catalog)
    assert caught.value.code == "lock/broken"
    (folder / "experiment.yaml").write_text("model: x\n")
    with pytest.raises(StarForgeError, match=r"experiment\.yaml"):
        drift_of(folder, catalog)


def renamed(folder, text, *, note=None, kind="Any", **names):
    (folder / "config.yaml").write_text(text, "utf-8")
    recipe = load_catalog().recipe("trl/sft")
    pairs = [Renamed(old=old.replace("__", "."), new=new, note=note) for old, new in names.items()]
    config = ContractConfig(keys={new: ContractKey(type=kind) for new in names.values()})
    return rename_keys(folder, msgspec.structs.replace(recipe, renamed=pairs), config)


def test_a_key_is_renamed_where_it_stands(folder):
    text = "# 说明\nold: 1  # why\nother:\n  - old\n"
    found = renamed(folder, text, old="new")
    assert found.text == "# 说明\nnew: 1  # why\nother:\n  - old\n"
    assert (found.done, found.by_hand) == ({"old": "new"}, {})
    assert (folder / "config.yaml").read_text("utf-8") == text, "nothing is written"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n  b:\n    old: [1, 2]  # c\n", "a:\n  b:\n    new: [1, 2]  # c\n"),
        ("a.b.old: 1\n", "a.b.new: 1\n"),
        ("a:\n  b.old: 1\n", "a:\n  b.new: 1\n"),
        ('a: {b: {"old": x}}\n', 'a: {b: {"new": x}}\n'),
        ("a:\n  b:\n    old:\n      x: 1\n      y: old\n",
         "a:\n  b:\n    new:\n      x: 1\n      y: old\n"),
    ],
)  # fmt: skip
def test_nested_and_dotted_keys(folder, text, expected):
    found = renamed(folder, text, a__b__old="a.b.new")
    assert found.text == expected and found.done == {"a.b.old": "a.b.new"}


def test_what_is_not_safe_is_left_to_the_person(folder):
    moved = renamed(folder, "a:\n  old: 1\n", a__old="b.new")
    assert (moved.text, moved.by_hand) == ("a:\n  old: 1\n", {"a.old": "b.new"})
    taken = renamed(folder, "old: 1\nnew: 2\n", old="new")
    assert taken.done == {} and taken.by_hand == {"old": "new"}
    other = Text("it counts per device now", "现按每块设备计数")
    assert renamed(folder, "old: 1\n", old="new", note=other).by_hand == {"old": "new"}
    assert renamed(folder, "old: true\n", old="new", kind="str").by_hand == {"old": "new"}
    assert renamed(folder, "old: yes-sir\n", old="new", kind="str").done == {"old": "new"}
    assert renamed(folder, "fine: 1\n", old="new") is None
    assert renamed(folder, "old: [\n", old="new") is None


def test_a_method_does_not_differ_from_itself(catalog):
    one = detail(catalog.recipe("trl/grpo"))
    found = diff_methods(one, one)
    assert is_empty(found) and found["parameters"]["same"] > 50


def test_two_methods_parameter_by_parameter(catalog):
    grpo, sft = detail(catalog.recipe("trl/grpo")), detail(catalog.recipe("trl/sft"))
    found = diff_methods(grpo, sft)
    parameters = found["parameters"]
    assert "group_size" in parameters["only_a"] and "packing" in parameters["only_b"]
    assert parameters["different"]["learning_rate"]["default"] == {"a": 1e-6, "b": 2e-5}
    assert found["data"]["kind"] == {"a": "verifiable", "b": "instruction"}
    counted = len(parameters["only_a"]) + len(parameters["different"]) + parameters["same"]
    assert counted == len(grpo["parameters"]) + len(grpo["presets"])
    verl = diff_methods(grpo, detail(catalog.recipe("verl/grpo")))
    assert verl["facts"]["framework"] == {"a": "trl", "b": "verl"}
    assert verl["parameters"]["different"]["learning_rate"]["path"]["b"].endswith("optim.lr")
    assert verl["pins"] and not is_empty(verl)
