"""Property: one wrong letter in a key is refused, and one of the first two hints is the key."""

import random
import re

import pytest

from starforge.catalog.load import load_catalog
from starforge.findings import Location
from starforge.lab import foreign
from starforge.lab.assign import Collector
from starforge.lab.experiment import load_experiment
from starforge.lab.resolve import resolve

CATALOG = load_catalog()
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def contracts():
    """Return one method for every contract; methods that share one share its keys."""
    found = {}
    for name in CATALOG.names():
        recipe = CATALOG.recipe(name)
        if not CATALOG.contract(recipe).configs[recipe.config].open:
            found.setdefault((recipe.pin, recipe.config), name)
    return list(found.values())


def slips(name, rng):
    """Return the name with one letter swapped, left out, doubled and replaced, each once."""
    places = [at for at, letter in enumerate(name) if letter.isalpha()]
    swaps = [
        at for at in places
        if at + 1 in places and name[at].lower() != name[at + 1].lower()
    ]  # fmt: skip
    made = []
    if swaps:
        at = rng.choice(swaps)
        made.append(name[:at] + name[at + 1] + name[at] + name[at + 2 :])
    at = rng.choice(places)
    made.append(name[:at] + name[at + 1 :])
    at = rng.choice(places)
    made.append(name[:at] + name[at] + name[at:])
    at = rng.choice(places)
    other = rng.choice([letter for letter in LETTERS if letter != name[at].lower()])
    made.append(name[:at] + other + name[at + 1 :])
    return made


def known_names(recipe, config):
    """Return every name that is no slip: it means something here or in another method."""
    own = {p.name for p in recipe.parameters} | {p.path for p in recipe.parameters}
    own |= {renamed.old for renamed in recipe.renamed} | {p.name for p in recipe.presets}
    parts = {path.rpartition(".")[2] for path in config.keys}
    elsewhere = foreign._index().keys() | foreign._last_parts().keys() | foreign._keys().keys()
    return own | parts | config.keys.keys() | elsewhere


class Names:
    """The part of the resolver that judges names, without a file for each name."""

    def __init__(self, method):
        self.recipe = CATALOG.recipe(method)
        self.config = CATALOG.contract(self.recipe).configs[self.recipe.config]
        self.collector = Collector(self.recipe, self.config)
        self.known = known_names(self.recipe, self.config)

    def is_known(self, name):
        return name in self.known or self.collector.is_native(name)

    def native(self, name):
        """Return the finding about a key of config.yaml."""
        return self.collector._unknown_key(name, Location(file="config.yaml", key=name))

    def parameter(self, name):
        """Return the finding about a name below ``params``."""
        at = Location(file="experiment.yaml", key=f"params.{name}")
        return self.collector._unknown_parameter(name, at)


def judge(found, name):
    """Return what is wrong with the finding about a slip of ``name``, or nothing."""
    if not found.code.startswith("config/unknown-"):
        return found.code
    hint = found.hint.en if found.hint else ""
    named = re.findall(r"`([^`]+)`", hint)
    return None if name in named[:2] else hint


def is_open(slip, written):
    """Say whether more than two names are one replaced letter away (``yp_size``: dp, ep, tp)."""
    near = [
        name for name in written
        if len(name) == len(slip)
        and sum(x != y for x, y in zip(name, slip, strict=True)) == 1
    ]  # fmt: skip
    return len(near) > 2


def check(names, judged, written, rng):
    """Judge slips of every one of ``written``; no name may be left out."""
    wrong, tried = {}, set()
    for name in written:
        for slip in slips(name, rng):
            if not names.is_known(slip) and not is_open(slip, written):
                tried.add(name)
                problem = judge(judged(slip), name)
                if problem is not None:
                    wrong[f"{name} as {slip}"] = problem
    assert wrong == {}
    assert tried == set(written)


@pytest.mark.parametrize("method", contracts())
def test_a_slip_in_a_native_key_names_the_right_key(method):
    names = Names(method)
    check(names, names.native, names.config.keys, random.Random(method))


@pytest.mark.parametrize("method", [name for name in CATALOG.names() if name != "custom/custom"])
def test_a_slip_in_a_parameter_names_the_right_parameter(method):
    names = Names(method)
    written = [parameter.name for parameter in names.recipe.parameters]
    check(names, names.parameter, written, random.Random(method))


def test_the_resolver_refuses_a_slip_in_either_file(tmp_path):
    """What the tests above ask of single names holds for files, too."""
    (tmp_path / "experiment.yaml").write_text("method: trl/sft\nparams: {learnign_rate: 1.0e-5}\n")
    (tmp_path / "config.yaml").write_text("max_lenght: 12\n")
    recipe = CATALOG.recipe("trl/sft")
    experiment, _ = load_experiment(tmp_path)
    _, findings = resolve(experiment, recipe, CATALOG.contract(recipe))
    hints = [(one.code, one.hint.en) for one in findings]
    assert hints == [
        ("config/unknown-key", "did you mean `max_length`?"),
        ("config/unknown-parameter", "did you mean `learning_rate`?"),
    ]
